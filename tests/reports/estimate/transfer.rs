//! The TCP model, compared with real transfers between two network namespaces.
//!
//! Needs root, `ip netns` and `tc`; without them, the test says so and passes. If the
//! kernel has no netem, which makes the delay, only the rate is tested.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mbt::estimate::{Link, Model, Tcp};

use crate::skip::skip;

const MBIT: f64 = 20.0;
/// One way.
const DELAY_MS: f64 = 20.0;
const ADDRESSES: [&str; 2] = ["10.213.77.1", "10.213.77.2"];
const PORT: u16 = 7213;
/// Transfers of each size, at most.
const RUNS: u32 = 10;
/// The role of this test when it runs again within a namespace.
const ROLE: &str = "MBT_TEST_TRANSFER_ROLE";

/// Two namespaces with a link between them, which are removed on drop.
struct Namespaces([String; 2]);

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

/// True if the command succeeded.
fn done(command: &str) -> bool {
    let mut words = command.split(' ');
    let mut command = Command::new(words.next().unwrap());
    let command = command
        .args(words)
        .stderr(Stdio::null())
        .stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Namespaces {
    fn new() -> Result<Self, &'static str> {
        let id = std::process::id();
        let made = Self([format!("mbt-a-{id}"), format!("mbt-b-{id}")]);
        for name in &made.0 {
            if !done(&format!("ip netns add {name}")) {
                return Err("ip netns cannot make namespaces here");
            }
        }
        let [a, b] = &made.0;
        if !done(&format!(
            "ip -n {a} link add wire type veth peer name wire netns {b}"
        )) {
            return Err("ip cannot make a link here");
        }
        for (name, address) in made.0.iter().zip(ADDRESSES) {
            if !done(&format!("ip -n {name} addr add {address}/24 dev wire"))
                || !done(&format!("ip -n {name} link set wire gso_max_segs 1 up"))
            {
                return Err("ip cannot set up a link here");
            }
        }
        Ok(made)
    }

    /// Slows the link in both directions.
    fn shape(&self, queue: &str) -> bool {
        let mut both = self.0.iter();
        both.all(|name| done(&format!("tc -n {name} qdisc replace dev wire root {queue}")))
    }

    /// Seconds that this many bytes take from one to the other.
    fn seconds(&self, bytes: u32) -> f64 {
        let mut server = self.spawn(1, "serve");
        let client = self.spawn(0, &bytes.to_string());
        let output = client.wait_with_output().unwrap();
        assert!(output.status.success() && server.wait().unwrap().success());
        let said = String::from_utf8(output.stdout).unwrap();
        let mut told = said
            .lines()
            .filter_map(|line| line.strip_prefix("seconds "));
        told.next().unwrap().parse().unwrap()
    }

    /// This test, in another role, within a namespace.
    fn spawn(&self, at: usize, role: &str) -> Child {
        Command::new("ip")
            .args(["netns", "exec", &self.0[at]])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "estimate::transfer::the_model_is_close_to_real_transfers",
                "--nocapture",
            ])
            .env(ROLE, role)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// Reads all bytes of a connection and answers with one.
fn serve() {
    let listener = TcpListener::bind((ADDRESSES[1], PORT)).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    stream.write_all(b".").unwrap();
}

/// Sends this many bytes and returns the seconds until the answer.
fn send(bytes: usize) {
    let payload = vec![0x5a; bytes];
    // The server may not listen yet.
    let begun = Instant::now();
    loop {
        let start = Instant::now();
        match TcpStream::connect((ADDRESSES[1], PORT)) {
            Ok(mut stream) => {
                stream.write_all(&payload).unwrap();
                stream.shutdown(std::net::Shutdown::Write).unwrap();
                stream.read_exact(&mut [0]).unwrap();
                println!("\nseconds {}", start.elapsed().as_secs_f64());
                return;
            }
            Err(_) if begun.elapsed() < Duration::from_secs(10) => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn the_model_is_close_to_real_transfers() {
    match std::env::var(ROLE).as_deref() {
        Ok("serve") => return serve(),
        Ok(bytes) => return send(bytes.parse().unwrap()),
        Err(_) => {}
    }
    let namespaces = match Namespaces::new() {
        Ok(namespaces) => namespaces,
        Err(why) => return skip(why),
    };
    let netem = format!("netem delay {DELAY_MS}ms rate {MBIT}mbit limit 5000");
    let tbf = format!("tbf rate {MBIT}mbit burst 4kb latency 2s");
    let rtt_ms = if namespaces.shape(&netem) {
        2.0 * DELAY_MS
    } else if namespaces.shape(&tbf) {
        skip("the delay, since the kernel has no netem");
        0.0
    } else {
        return skip("tc cannot shape links");
    };
    let link = Link { rtt_ms, mbit: MBIT };
    for bytes in [100_000, 500_000, 3_000_000] {
        let modelled = Model::Tcp(Tcp::default()).transfer_s(link, f64::from(bytes));
        // Other work on the machine only slows it down, so the fastest counts.
        let mut took = f64::INFINITY;
        for _ in 0..RUNS {
            took = took.min(namespaces.seconds(bytes));
            if modelled / took > 0.95 {
                break;
            }
        }
        let off = modelled / took - 1.0;
        eprintln!("{bytes} bytes: {took:.4} s, modelled {modelled:.4} s, off by {off:.3}");
        assert!(
            off.abs() < 0.15,
            "{bytes} bytes took {took} s, modelled {modelled} s"
        );
    }
}
