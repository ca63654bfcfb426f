-- Ids count from 1 for every tenant and are never given twice.
CREATE TABLE tenant (
    name    TEXT PRIMARY KEY,
    last_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    serial  INTEGER PRIMARY KEY,
    tenant  TEXT NOT NULL REFERENCES tenant (name),
    id      INTEGER NOT NULL,
    title   TEXT NOT NULL,
    text    TEXT NOT NULL,
    created INTEGER NOT NULL DEFAULT (unixepoch()),
    updated INTEGER NOT NULL DEFAULT (unixepoch()),
    UNIQUE (tenant, id)
) STRICT;
CREATE INDEX note_title ON note (tenant, title);
CREATE INDEX note_created ON note (tenant, created);
CREATE INDEX note_updated ON note (tenant, updated, id);

CREATE TABLE tag (
    serial INTEGER NOT NULL REFERENCES note (serial) ON DELETE CASCADE,
    name   TEXT NOT NULL,
    PRIMARY KEY (serial, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_name ON tag (name);

-- The index holds no text of its own; the triggers keep it in step with `note`.
CREATE VIRTUAL TABLE full_text USING fts5 (
    title, text,
    content = 'note', content_rowid = 'serial',
    tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
    INSERT INTO full_text (rowid, title, text) VALUES (new.serial, new.title, new.text);
END;
CREATE TRIGGER note_deleted AFTER DELETE ON note BEGIN
    INSERT INTO full_text (full_text, rowid, title, text)
    VALUES ('delete', old.serial, old.title, old.text);
END;
CREATE TRIGGER note_edited AFTER UPDATE OF title, text ON note BEGIN
    INSERT INTO full_text (full_text, rowid, title, text)
    VALUES ('delete', old.serial, old.title, old.text);
    INSERT INTO full_text (rowid, title, text) VALUES (new.serial, new.title, new.text);
END;
