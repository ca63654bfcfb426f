//! A store in the process's memory.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{Store, StoreError, StoreFuture};

/// How many entries there may be, unless it is said otherwise.
const CAPACITY: usize = 262_144;
/// How many expired entries a write removes: more than the one it may add, so that they dwindle,
/// and few, so that no write takes long.
const REMOVED_AT_ONCE: usize = 16;
/// As good as never, for lifetimes longer than the clock can tell.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A [`Store`] in this process's memory, the one that every runtime begins with.
///
/// It holds at most 262,144 entries, or what [`with_capacity`](Self::with_capacity) says; one more
/// is refused with [`StoreError::Full`] until something expires, as forgetting would let a token be
/// used again. For scale: each request that uses up a token leaves an entry of about 150 bytes, for
/// eleven minutes. What has expired is given back as new entries come.
///
/// Time is Tokio's, so that a test with a paused clock sees entries expire at once.
///
/// ```
/// use std::time::Duration;
/// use relay_runtime::store::{MemoryStore, Store, StoreError};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// let store = MemoryStore::default();
/// assert!(store.put_new("key", b"one", Duration::from_secs(60)).await?);
/// assert!(!store.put_new("key", b"two", Duration::from_secs(60)).await?);
/// assert_eq!(store.get("key").await?.as_deref(), Some(&b"one"[..]));
/// # Ok(())
/// # }
/// ```
pub struct MemoryStore(Mutex<Entries>);

/// Trees, which give back what they no longer need and never move all they hold at once.
struct Entries {
    capacity: usize,
    by_key: BTreeMap<Arc<str>, Entry>,
    /// The keys, the first to expire first; entries of one instant by number.
    by_expiry: BTreeMap<(Instant, u64), Arc<str>>,
    /// How many entries there have ever been.
    count: u64,
}

struct Entry {
    value: Vec<u8>,
    place: (Instant, u64),
}

impl MemoryStore {
    /// An empty store for so many entries. Takes no memory for them yet.
    #[must_use]
    pub fn with_capacity(entries: usize) -> Self {
        Self(Mutex::new(Entries {
            capacity: entries,
            by_key: BTreeMap::new(),
            by_expiry: BTreeMap::new(),
            count: 0,
        }))
    }

    /// The entries, of which the next to expire have gone.
    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Nothing panics half-way through a change.
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.forget(Instant::now());
        entries
    }
}

impl Entries {
    fn forget(&mut self, now: Instant) {
        for _ in 0..REMOVED_AT_ONCE {
            let Some(first) = self
                .by_expiry
                .first_entry()
                .filter(|first| first.key().0 <= now)
            else {
                return;
            };
            self.by_key.remove(&*first.remove());
        }
    }

    fn get(&self, key: &str) -> Option<&Entry> {
        self.by_key
            .get(key)
            .filter(|entry| entry.place.0 > Instant::now())
    }

    fn insert(&mut self, key: &str, value: &[u8], lifetime: Duration) -> Result<(), StoreError> {
        let entries = self.by_key.len();
        if entries >= self.capacity {
            return Err(StoreError::Full { entries });
        }
        let place = (Instant::now() + lifetime.min(NEVER), self.count);
        self.count += 1;
        let key: Arc<str> = key.into();
        self.by_expiry.insert(place, Arc::clone(&key));
        let value = value.to_vec();
        self.by_key.insert(key, Entry { value, place });
        Ok(())
    }

    fn remove(&mut self, key: &str) {
        if let Some(entry) = self.by_key.remove(key) {
            self.by_expiry.remove(&entry.place);
        }
    }
}

impl Store for MemoryStore {
    fn put_new<'a>(
        &'a self,
        key: &'a str,
        value: &'a [u8],
        lifetime: Duration,
    ) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let mut entries = self.lock();
            if entries.get(key).is_some() {
                return Ok(false);
            }
            entries.remove(key);
            entries.insert(key, value, lifetime).map(|()| true)
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move { Ok(self.lock().get(key).map(|entry| entry.value.clone())) })
    }

    fn put<'a>(&'a self, key: &'a str, value: &'a [u8], lifetime: Duration) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut entries = self.lock();
            entries.remove(key);
            entries.insert(key, value, lifetime)
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lock().remove(key);
            Ok(())
        })
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use tokio::{task::JoinSet, time::advance};

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn counts(store: &MemoryStore) -> (usize, usize) {
        let entries = store.0.lock().unwrap();
        (entries.by_key.len(), entries.by_expiry.len())
    }

    /// Runs a test on a clock that stands still.
    fn paused<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap()
            .block_on(test)
    }

    // RS-06
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn of_many_at_once_one_puts_it_there() {
        let store = Arc::new(MemoryStore::default());
        for key in 0..50 {
            let mut tasks = JoinSet::new();
            for _ in 0..32 {
                let store = Arc::clone(&store);
                tasks.spawn(async move { store.put_new(&key.to_string(), b"", MINUTE).await });
            }
            let won: Vec<bool> = tasks
                .join_all()
                .await
                .into_iter()
                .map(Result::unwrap)
                .collect();
            assert_eq!(won.into_iter().filter(|won| *won).count(), 1, "{key}");
        }
        assert_eq!(counts(&store), (50, 50));
    }

    // RS-06
    #[tokio::test(start_paused = true)]
    async fn an_entry_lasts_as_long_as_it_was_put_for() {
        let store = MemoryStore::default();
        assert!(store.put_new("key", b"one", MINUTE).await.unwrap());
        advance(Duration::from_millis(59_999)).await;
        assert!(!store.put_new("key", b"two", MINUTE * 9).await.unwrap());
        assert_eq!(store.get("key").await.unwrap().unwrap(), b"one");
        advance(Duration::from_millis(1)).await;
        assert_eq!(store.get("key").await.unwrap(), None);
        assert!(store.put_new("key", b"three", Duration::MAX).await.unwrap());
        advance(MINUTE * 60 * 24 * 365).await;
        assert_eq!(store.get("key").await.unwrap().unwrap(), b"three");
    }

    // RS-06, MRTR-13
    #[tokio::test(start_paused = true)]
    async fn a_full_store_refuses_and_forgets_nothing() {
        let store = MemoryStore::with_capacity(2);
        assert!(store.put_new("a", b"", MINUTE).await.unwrap());
        assert!(store.put_new("b", b"", MINUTE * 2).await.unwrap());
        let error = store.put_new("c", b"", MINUTE).await.unwrap_err();
        assert!(matches!(error, StoreError::Full { entries: 2 }), "{error}");
        assert!(!store.put_new("a", b"", MINUTE).await.unwrap());
        store.put("b", b"replaced", MINUTE * 2).await.unwrap();
        advance(MINUTE).await;
        assert!(store.put_new("c", b"", MINUTE).await.unwrap());
        store.delete("b").await.unwrap();
        store.delete("b").await.unwrap();
        assert!(store.put_new("d", b"", MINUTE).await.unwrap());
        assert_eq!(counts(&store), (2, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn what_expired_is_given_back() {
        let store = MemoryStore::default();
        for key in 0..1000 {
            store.put(&key.to_string(), b"value", MINUTE).await.unwrap();
            store.put("the same", b"value", MINUTE).await.unwrap();
        }
        assert_eq!(counts(&store), (1001, 1001));
        advance(MINUTE).await;
        for key in 0..100 {
            store
                .put(&format!("new {key}"), b"value", MINUTE)
                .await
                .unwrap();
        }
        assert_eq!(counts(&store), (100, 100));
    }

    #[derive(Clone, Debug)]
    enum Step {
        PutNew(u8, Duration),
        Put(u8, Duration),
        Delete(u8),
        Wait(Duration),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let time = || (0..5_u64).prop_map(Duration::from_secs);
        let step = prop_oneof![
            (0..4_u8, time()).prop_map(|(key, time)| Step::PutNew(key, time)),
            (0..4_u8, time()).prop_map(|(key, time)| Step::Put(key, time)),
            (0..4_u8).prop_map(Step::Delete),
            time().prop_map(Step::Wait),
        ];
        proptest::collection::vec(step, 0..60)
    }

    proptest! {
        // RS-06: as a map whose entries are looked at only until they expire.
        #[test]
        fn it_is_a_map_with_time(steps in steps()) {
            paused(async move {
                let store = MemoryStore::default();
                let mut model: HashMap<u8, (usize, Instant)> = HashMap::new();
                for (number, step) in steps.into_iter().enumerate() {
                    let value = number.to_string();
                    model.retain(|_, (_, expires)| *expires > Instant::now());
                    match step {
                        Step::PutNew(key, time) => {
                            let put = store.put_new(&key.to_string(), value.as_bytes(), time).await;
                            prop_assert_eq!(put.unwrap(), !model.contains_key(&key));
                            model.entry(key).or_insert_with(|| (number, Instant::now() + time));
                        }
                        Step::Put(key, time) => {
                            store.put(&key.to_string(), value.as_bytes(), time).await.unwrap();
                            model.insert(key, (number, Instant::now() + time));
                        }
                        Step::Delete(key) => {
                            store.delete(&key.to_string()).await.unwrap();
                            model.remove(&key);
                        }
                        Step::Wait(time) => advance(time).await,
                    }
                    for key in 0..4_u8 {
                        let found = store.get(&key.to_string()).await.unwrap();
                        let expected = model.get(&key).filter(|(_, expires)| *expires > Instant::now());
                        let expected = expected.map(|(number, _)| number.to_string().into_bytes());
                        prop_assert_eq!(found, expected);
                    }
                    let (by_key, by_expiry) = counts(&store);
                    prop_assert_eq!(by_key, by_expiry);
                }
                Ok(())
            })?;
        }
    }
}
