//! Moves the protocol off the descriptors that the rest of the process, and its children, know.

use std::{
    fs::File,
    io::{self, Read, Write},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::fcntl_dupfd_cloexec,
    stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout},
};

/// The lowest number for a moved stream, out of the way of the standard three.
const FIRST: i32 = 3;

/// Duplicates stdin and stdout, closed on exec; then points stdin at nothing and stdout at stderr,
/// so that a stray print or a child process can neither eat nor write a message.
pub(super) fn take() -> io::Result<(Duplicate, Duplicate)> {
    let nothing = File::open("/dev/null")?;
    let source = Duplicate(File::from(fcntl_dupfd_cloexec(stdin(), FIRST)?));
    let sink = Duplicate(File::from(fcntl_dupfd_cloexec(stdout(), FIRST)?));
    dup2_stdin(&nothing)?;
    dup2_stdout(stderr())?;
    Ok((source, sink))
}

/// A standard stream under a descriptor of its own.
///
/// The parent may have made it non-blocking, and it can't be made blocking again without changing
/// it for whoever shares it: waits instead.
#[derive(Debug)]
pub(super) struct Duplicate(File);

impl Duplicate {
    fn blocking<T>(
        &mut self,
        readiness: PollFlags,
        mut attempt: impl FnMut(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match attempt(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(&self.0, readiness)], None)?;
                }
                done => return done,
            }
        }
    }
}

impl Read for Duplicate {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.blocking(PollFlags::IN, |file| file.read(buffer))
    }
}

impl Write for Duplicate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.blocking(PollFlags::OUT, |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::{io::pipe, os::fd::OwnedFd, thread};

    use rustix::io::{FdFlags, fcntl_getfd, ioctl_fionbio};

    use super::*;

    fn duplicate(fd: impl Into<OwnedFd>) -> Duplicate {
        let fd = fd.into();
        ioctl_fionbio(&fd, true).unwrap();
        Duplicate(File::from(fcntl_dupfd_cloexec(fd, FIRST).unwrap()))
    }

    // STDIO-12
    #[test]
    fn a_duplicate_is_closed_on_exec_and_off_the_standard_numbers() {
        use std::os::fd::AsRawFd as _;
        let (reader, _writer) = pipe().unwrap();
        let reader = duplicate(reader);
        assert!(fcntl_getfd(&reader.0).unwrap().contains(FdFlags::CLOEXEC));
        assert!(reader.0.as_raw_fd() >= FIRST);
    }

    #[test]
    fn a_stream_that_the_parent_made_non_blocking_is_waited_for() {
        let (reader, writer) = pipe().unwrap();
        let (mut reader, mut writer) = (duplicate(reader), duplicate(writer));
        let sent = vec![7; 1 << 20];
        let expected = sent.clone();
        let sending = thread::spawn(move || writer.write_all(&sent).unwrap());
        let mut received = Vec::new();
        reader.read_to_end(&mut received).unwrap();
        sending.join().unwrap();
        assert!(received == expected);
    }
}
