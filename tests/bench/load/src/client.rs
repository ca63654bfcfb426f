//! The load: any number of connections from one thread, each asking again once it is answered.

use std::{
    io::{self, Read as _, Write as _},
    net::SocketAddr,
    rc::Rc,
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token, net::TcpStream};

use crate::{Failure, Plan, response::Head, server::Server, work::Work};

/// How long nothing may happen.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a turn came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Requests a second.
    pub(crate) rate: f64,
    /// Microseconds of the contender's core for each.
    pub(crate) cpu: f64,
}

/// What the connections ask.
#[derive(Clone, Debug)]
pub(crate) enum Script {
    /// Always the same; or each connection the next of these.
    Fixed(Vec<Rc<[u8]>>),
    Chain(Work),
}

/// When a turn ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) warm_up: Duration,
    pub(crate) window: Duration,
    /// After so many requests, however little time has passed.
    pub(crate) most: u64,
}

impl Turn {
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            warm_up: plan.warm_up,
            window: plan.window,
            most: u64::MAX,
        }
    }

    /// This many requests, in no more than this time.
    pub(crate) fn counted(most: u64, window: Duration) -> Self {
        Self {
            warm_up: Duration::ZERO,
            window,
            most,
        }
    }
}

impl Script {
    pub(crate) fn of(work: Work, host: &str) -> Self {
        if work.is_chain() {
            Self::Chain(work)
        } else {
            Self::Fixed(vec![work.first(host).into()])
        }
    }
}

/// Asks each request of the work once, looks at what comes back, and gives the last answer.
pub(crate) fn probe(address: SocketAddr, work: Work) -> Result<Vec<u8>, Failure> {
    let host = address.to_string();
    let mut stream = std::net::TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let (mut step, mut answer) = (0, Vec::new());
    while let Some(request) = work.follow(&host, step, &answer) {
        answer = ask(&mut stream, &request)?;
        work.check(&answer)?;
        step += 1;
        if !work.is_chain() {
            break;
        }
    }
    Ok(answer)
}

/// One request and the body of its answer, which must be a 200.
pub(crate) fn ask(stream: &mut std::net::TcpStream, request: &[u8]) -> Result<Vec<u8>, Failure> {
    stream.write_all(request)?;
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut piece)? {
            0 => return Err("a contender closed a connection".into()),
            length => bytes.extend_from_slice(&piece[..length]),
        }
        if let Some(head) = Head::read(&bytes)?.filter(|head| head.ends(&bytes)) {
            if head.status != 200 {
                return Err(String::from_utf8_lossy(&bytes).into());
            }
            return Ok(head.body(&bytes));
        }
    }
}

/// Gives one contender its turn.
pub(crate) fn load(
    server: &Server,
    address: SocketAddr,
    script: &Script,
    connections: usize,
    turn: Turn,
) -> Result<Sample, Failure> {
    let mut load = Load::open(address, script, connections)?;
    if !turn.warm_up.is_zero() {
        load.run(turn.warm_up, u64::MAX)?;
    }
    let (cpu, began, before) = (server.cpu()?, Instant::now(), load.answered);
    load.run(turn.window, turn.most)?;
    let (cpu, time) = (server.cpu()? - cpu, began.elapsed());
    let requests = (load.answered - before) as f64;
    Ok(Sample {
        rate: requests / time.as_secs_f64(),
        cpu: cpu.as_secs_f64() * 1e6 / requests,
    })
}

struct Load<'a> {
    script: &'a Script,
    host: String,
    poll: Poll,
    connections: Vec<Connection>,
    answered: u64,
    piece: Vec<u8>,
    /// How long a response is, where every one is like the first.
    length: Option<usize>,
}

struct Connection {
    stream: TcpStream,
    request: Rc<[u8]>,
    written: usize,
    read: Vec<u8>,
    head: Option<Head>,
    step: usize,
}

impl<'a> Load<'a> {
    fn open(address: SocketAddr, script: &'a Script, count: usize) -> Result<Self, Failure> {
        let host = address.to_string();
        let poll = Poll::new()?;
        let mut connections = Vec::new();
        for number in 0..count {
            let stream = std::net::TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry()
                .register(&mut stream, Token(number), interest)?;
            connections.push(Connection {
                stream,
                request: script
                    .request(&host, number, &[])?
                    .ok_or("a first request")?,
                written: 0,
                read: Vec::new(),
                head: None,
                step: 0,
            });
        }
        Ok(Self {
            script,
            host,
            poll,
            connections,
            answered: 0,
            piece: vec![0; 256 * 1024],
            length: None,
        })
    }

    /// Goes on for this long, or until so many more are answered; until one is in any case.
    fn run(&mut self, time: Duration, most: u64) -> Result<(), Failure> {
        let (began, until) = (Instant::now(), self.answered.saturating_add(most));
        let none = self.answered;
        let mut events = Events::with_capacity(1024);
        let mut last = began;
        while self.answered < until && (began.elapsed() < time || self.answered == none) {
            let rest = time.saturating_sub(began.elapsed());
            let rest = rest.clamp(Duration::from_millis(1), PATIENCE);
            self.poll.poll(&mut events, Some(rest))?;
            let before = self.answered;
            for event in &events {
                self.step(event.token().0)?;
            }
            if self.answered > before {
                last = Instant::now();
            } else if last.elapsed() > PATIENCE {
                return Err("a contender no longer answers".into());
            }
        }
        Ok(())
    }

    /// Writes and reads what can be, on one connection.
    fn step(&mut self, number: usize) -> Result<(), Failure> {
        let connection = &mut self.connections[number];
        connection.write()?;
        loop {
            let length = match connection.stream.read(&mut self.piece) {
                Ok(0) => return Err("a contender closed a connection".into()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            connection.read.extend_from_slice(&self.piece[..length]);
            if connection.head.is_none() {
                connection.head = Head::read(&connection.read)?;
            }
            if let Some(head) = connection.head.filter(|head| head.ends(&connection.read)) {
                connection.finish(head, self.script, &self.host, &mut self.length)?;
                self.answered += 1;
                connection.write()?;
            }
            if length < self.piece.len() {
                return Ok(());
            }
        }
    }
}

impl Script {
    /// The request of a connection at this step, or nothing at the end of a chain.
    fn request(&self, host: &str, step: usize, answer: &[u8]) -> Result<Option<Rc<[u8]>>, Failure> {
        match self {
            Self::Fixed(requests) => {
                let request = requests.get(step % requests.len().max(1));
                Ok(Some(Rc::clone(request.ok_or("a script has a request")?)))
            }
            Self::Chain(work) => Ok(work.follow(host, step, answer).map(Into::into)),
        }
    }

    fn is_chain(&self) -> bool {
        matches!(self, Self::Chain(_))
    }

    fn is_uniform(&self) -> bool {
        matches!(self, Self::Fixed(requests) if requests.len() == 1)
    }
}

impl Connection {
    fn write(&mut self) -> Result<(), Failure> {
        while self.written < self.request.len() {
            match self.stream.write(&self.request[self.written..]) {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Looks at a response and takes up the next request.
    fn finish(
        &mut self,
        head: Head,
        script: &Script,
        host: &str,
        length: &mut Option<usize>,
    ) -> Result<(), Failure> {
        if head.status != 200 {
            return Err(String::from_utf8_lossy(&self.read).into());
        }
        // Chunks may be cut differently; nothing else may differ.
        let first = *length.get_or_insert(self.read.len());
        let least = if head.is_chunked() {
            first * 9 / 10
        } else {
            first
        };
        if script.is_uniform() && self.read.len() < least {
            let (text, length) = (String::from_utf8_lossy(&self.read), self.read.len());
            return Err(format!("{length} bytes instead of {first}: {text}").into());
        }
        if script.is_chain() {
            self.step += 1;
            let body = head.body(&self.read);
            let next = script.request(host, self.step, &body)?;
            self.request = match next {
                Some(next) => next,
                None => {
                    self.step = 0;
                    script.request(host, 0, &[])?.ok_or("a first request")?
                }
            };
        }
        self.read.clear();
        self.head = None;
        self.written = 0;
        Ok(())
    }
}
