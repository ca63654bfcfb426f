//! The signals that ask a process to end.

#[cfg(unix)]
pub(crate) use self::unix::Signals;
#[cfg(windows)]
pub(crate) use self::windows::Signals;

#[cfg(unix)]
mod unix {
    use std::{
        io,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        flag,
    };
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// The first signal is told; the next one ends the process as if nobody had listened, even
    /// where the executor is held up. So does any that comes after this was dropped.
    #[derive(Debug)]
    pub(crate) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        told: Arc<AtomicBool>,
    }

    impl Signals {
        pub(crate) fn new() -> io::Result<Self> {
            let told = Arc::new(AtomicBool::new(false));
            for number in [SIGINT, SIGTERM] {
                // In this order: the flag must not be up before the first signal was looked at.
                flag::register_conditional_default(number, Arc::clone(&told))?;
                flag::register(number, Arc::clone(&told))?;
            }
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                told,
            })
        }

        /// Cancel safe.
        pub(crate) async fn next(&mut self) {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
        }
    }

    impl Drop for Signals {
        fn drop(&mut self) {
            self.told.store(true, Ordering::SeqCst);
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;

    use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

    /// From its making on these no longer end the process by themselves.
    #[derive(Debug)]
    pub(crate) struct Signals {
        interrupt: CtrlC,
        terminate: CtrlBreak,
        close: CtrlClose,
    }

    impl Signals {
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self {
                interrupt: ctrl_c()?,
                terminate: ctrl_break()?,
                close: ctrl_close()?,
            })
        }

        /// Cancel safe.
        pub(crate) async fn next(&mut self) {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
                _ = self.close.recv() => {}
            }
        }
    }
}
