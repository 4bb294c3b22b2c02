//! Pipes whose other end pauses: complete rows are passed on at once.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A process that never answers must not stop all tests.
const PATIENCE: Duration = Duration::from_mins(1);

struct Pipe {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
}

impl Pipe {
    fn start(args: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mbt"))
            .args(args.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Self {
            child,
            stdin,
            stdout,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for exactly `len` bytes, at most for [`PATIENCE`].
    fn read(&mut self, len: usize) -> Vec<u8> {
        let mut stdout = self.stdout.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = vec![0; len];
            let read = stdout.read_exact(&mut bytes);
            let _ = sender.send((stdout, read.map(|()| bytes)));
        });
        let answer = receiver.recv_timeout(PATIENCE);
        if answer.is_err() {
            let _ = self.child.kill();
        }
        let (stdout, bytes) = answer.expect("bytes come while the input goes on");
        self.stdout = Some(stdout);
        bytes.unwrap()
    }

    fn frame(&mut self) -> Vec<u8> {
        let mut frame = self.read(28);
        assert!(frame.starts_with(b"MATHLDBT"));
        let number = |at: usize, len: usize| {
            let mut bytes = [0; 8];
            bytes[..len].copy_from_slice(&frame[at..at + len]);
            u64::from_le_bytes(bytes) as usize
        };
        let rest = number(12, 4) + number(16, 8);
        frame.extend(self.read(rest));
        frame
    }

    fn finish(mut self) -> Vec<u8> {
        drop(self.stdin.take());
        let mut rest = Vec::new();
        self.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

/// The same text, converted when all of it is available at once.
fn at_once(args: &str, text: &[u8]) -> Vec<u8> {
    let mut pipe = Pipe::start(args);
    pipe.write(text);
    pipe.finish()
}

#[test]
fn a_frame_leaves_as_soon_as_it_has_its_rows() {
    let ndjson = [
        "{\"a\":1}\n{\"a\":2}\n",
        "{\"a\":3}\n{\"a\":4}\n",
        "{\"a\":\"x\"}\n",
    ];
    let csv = ["a,b\n1,x\n2,\"y\n z\"\n", "3,\"q\"\n4,\n", "5,last"];
    let spread = [
        "{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n",
        "{\"a\": 3}\n{\n \"a\": 4\n}\n",
        "{\n \"a\": 5\n}",
    ];
    let array = [
        "[{\"a\":1},\n{\"a\":2},\n",
        "{\"a\":3},\n{\"a\":4},\n",
        "{\"a\":5}\n]\n",
    ];
    let arrays = ["[1,2]\n[3]\n[", "4]\n[5]\n[6]\n", "[7]\n"];
    for (from, parts) in [
        ("--from ndjson ", ndjson),
        ("--from csv ", csv),
        ("--from json ", spread),
        ("--from json ", array),
        // Without --from, the format must be detected.
        ("", ndjson),
        ("", spread),
        ("", array),
        ("", arrays),
    ] {
        for threads in ["1", "2", "5"] {
            let args = format!("convert {from}--to mbt --frame-rows 2 -T {threads}");
            let mut pipe = Pipe::start(&args);
            let mut all = Vec::new();
            for part in &parts[..2] {
                // In pieces that end at arbitrary places.
                let (before, after) = part.as_bytes().split_at(part.len() / 3);
                pipe.write(before);
                pipe.write(after);
                all.extend(pipe.frame());
            }
            pipe.write(parts[2].as_bytes());
            all.extend(pipe.finish());
            let text = parts.concat();
            assert!(
                all == at_once(&args, text.as_bytes()),
                "when it comes changes frames"
            );
            assert_eq!(at_once("convert --from mbt", &all), text.as_bytes());
        }
    }
}

#[test]
fn rows_that_come_slowly_leave_when_the_input_pauses() {
    let ndjson = [
        "{\"a\":1}\n{\"a\":2}\n{\"a\":",
        "3}\n",
        "{\"a\":\"x\"}\n",
        "",
    ];
    let csv = ["a,b\n1,x\n2,\"", "y\n z\"\n", "3,\"q\"\n4,\n", "5,last"];
    let array = [
        "[{\"a\":1},\n{\"a\":2}",
        ",\n{\"a\":3}\n",
        ",\n{\"a\":4}",
        // Selections have an end as well.
        "\n]",
    ];
    let line = [
        "[{\"a\":1},{\"a\":2",
        "},{\"a\":3}",
        ",{\"a\":4},",
        "{\"a\":5}]\n",
    ];
    let spaced = [
        "[{\"a\": 1}, ",
        "{\"a\": 3}, {\"a\": 4}, {",
        "\"a\": 5}, ",
        "{\"a\": 6}]",
    ];
    let values = ["{\"a\":1} {\"a\":2} {", "\"a\":3}", "\n{\"a\":4}", "\n"];
    for (from, parts) in [
        ("--from ndjson", ndjson),
        ("--from json", ndjson),
        ("--from csv", csv),
        ("--from json", array),
        ("--from json", line),
        ("--from json", spaced),
        ("--from json", values),
    ] {
        for threads in ["1", "2"] {
            // Few rows and small frames make no difference.
            for rows in ["", " --frame-rows 1000", " --where a!=7"] {
                let args = format!("convert {from} --to mbt -T {threads} --max-delay 20ms{rows}");
                let mut pipe = Pipe::start(&args);
                let mut all = Vec::new();
                for part in &parts[..3] {
                    pipe.write(part.as_bytes());
                    all.extend(pipe.frame());
                }
                pipe.write(parts[3].as_bytes());
                all.extend(pipe.finish());
                let back = at_once("convert --from mbt", &all);
                assert_eq!(back, parts.concat().as_bytes(), "{args}");
            }
        }
    }
}

/// An array that never ends, all on one line, as some APIs send it.
#[test]
fn rows_of_one_line_leave_at_the_borders_of_records() {
    for (from, start) in [("", "["), (" --records data", "{\"n\": 1, \"data\": [")] {
        let args = format!("convert --from json{from} --to ndjson --max-delay 20ms");
        let mut pipe = Pipe::start(&args);
        // A pause before or within the first record must not produce a row.
        pipe.write(start.as_bytes());
        std::thread::sleep(Duration::from_millis(60));
        pipe.write(b"{\"a\": 0");
        std::thread::sleep(Duration::from_millis(60));
        pipe.write(b"}, ");
        let mut expected = b"{\"a\":0}\n".to_vec();
        for row in 1..4 {
            assert_eq!(pipe.read(expected.len()), expected);
            pipe.write(format!("{{\"a\": {row}}}, ").as_bytes());
            expected = format!("{{\"a\":{row}}}\n").into_bytes();
        }
        assert_eq!(pipe.read(expected.len()), expected);
        pipe.write(b"{\"a\": 9}]");
        if !from.is_empty() {
            pipe.write(b"}");
        }
        assert_eq!(pipe.finish(), b"{\"a\":9}\n");
    }
}

#[test]
fn text_is_passed_on_as_text_when_the_input_pauses() {
    let mut pipe = Pipe::start("convert --from csv --to ndjson --max-delay 20ms --where a>1");
    pipe.write(b"a,b\n1,x\n2,y\n");
    let first = b"{\"a\":2,\"b\":\"y\"}\n";
    assert_eq!(pipe.read(first.len()), first);
    pipe.write(b"3,z\n1,w");
    let second = b"{\"a\":3,\"b\":\"z\"}\n";
    assert_eq!(pipe.read(second.len()), second);
    assert_eq!(pipe.finish(), b"");
}

#[test]
fn a_file_of_frames_does_not_depend_on_pauses() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, delay) in [("a.mbt", ""), ("b.mbt", " --max-delay 1ms")] {
        let args = format!("convert --from csv -o {}{delay}", path(name));
        let mut pipe = Pipe::start(&args);
        for part in ["a,b\n1,x\n", "2,y\n", "3,z\n"] {
            pipe.write(part.as_bytes());
            std::thread::sleep(Duration::from_millis(50));
        }
        pipe.finish();
    }
    let frames = |name| std::fs::read(path(name)).unwrap();
    assert!(frames("a.mbt") == frames("b.mbt"));
}

#[test]
fn rows_are_printed_as_soon_as_their_frame_has_come() {
    let text = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n";
    let mut frames = Pipe::start("convert --from ndjson --to mbt --frame-rows 2");
    frames.write(text.as_bytes());
    let (first, second) = (frames.frame(), frames.frame());
    let end = frames.finish();
    for threads in ["1", "2"] {
        let mut back = Pipe::start(&format!("convert --from mbt -T {threads}"));
        let (rows, half) = (text.as_bytes(), text.len() / 2);
        back.write(&first);
        assert_eq!(back.read(half), rows[..half]);
        back.write(&second);
        assert_eq!(back.read(half), rows[half..]);
        back.write(&end);
        assert_eq!(back.finish(), b"");
    }
}
