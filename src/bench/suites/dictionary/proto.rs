//! Tries as Protocol Buffers, with the two messages of a published dictionary library.

use prost::Message as _;

use super::trie::Trie;
use crate::bench::suites::formats::broken;
use crate::error::{Error, Result};

#[derive(Clone, PartialEq, prost::Message)]
struct Dictionary {
    #[prost(uint64, repeated, tag = "1")]
    node_id: Vec<u64>,
    #[prost(uint64, repeated, tag = "2")]
    final_node_id: Vec<u64>,
    #[prost(message, repeated, tag = "3")]
    edge: Vec<Edge>,
    #[prost(uint64, tag = "4")]
    root_id: u64,
    #[prost(uint64, tag = "5")]
    size: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Edge {
    #[prost(uint64, tag = "1")]
    source_id: u64,
    #[prost(uint32, tag = "2")]
    label: u32,
    #[prost(uint64, tag = "3")]
    target_id: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct DictionaryV2 {
    /// The first value, followed by differences.
    #[prost(uint64, repeated, tag = "1")]
    final_node_delta: Vec<u64>,
    /// Source, label and target of each edge.
    #[prost(uint64, repeated, tag = "2")]
    edge_data: Vec<u64>,
    #[prost(uint64, tag = "3")]
    root_id: u64,
    #[prost(uint64, tag = "4")]
    size: u64,
    #[prost(uint64, tag = "5")]
    edge_count: u64,
}

pub fn encode_v1(trie: &Trie) -> Vec<u8> {
    let edge = |(source, label, target): (u32, u8, u32)| Edge {
        source_id: source.into(),
        label: label.into(),
        target_id: target.into(),
    };
    Dictionary {
        node_id: (0..trie.nodes() as u64).collect(),
        final_node_id: trie.ends().map(u64::from).collect(),
        edge: trie.edges().map(edge).collect(),
        root_id: 0,
        size: trie.len() as u64,
    }
    .encode_to_vec()
}

pub fn encode_v2(trie: &Trie) -> Vec<u8> {
    let mut before = 0;
    let delta = |node: u32| {
        let delta = u64::from(node) - before;
        before = node.into();
        delta
    };
    let triple = |(source, label, target): (u32, u8, u32)| -> [u64; 3] {
        [source.into(), label.into(), target.into()]
    };
    DictionaryV2 {
        final_node_delta: trie.ends().map(delta).collect(),
        edge_data: trie.edges().flat_map(triple).collect(),
        root_id: 0,
        size: trie.len() as u64,
        edge_count: trie.nodes() as u64 - 1,
    }
    .encode_to_vec()
}

pub fn decode_v1(bytes: &[u8]) -> Result<Trie> {
    let message = Dictionary::decode(bytes).map_err(broken)?;
    let edges = message.edge.iter();
    let edges = edges.map(|edge| [edge.source_id, edge.label.into(), edge.target_id]);
    trie(
        message.node_id.len(),
        edges,
        message.final_node_id.into_iter(),
    )
}

pub fn decode_v2(bytes: &[u8]) -> Result<Trie> {
    let message = DictionaryV2::decode(bytes).map_err(broken)?;
    let (edges, _) = message.edge_data.as_chunks::<3>();
    let ends = message.final_node_delta.iter().scan(0_u64, |node, delta| {
        *node = node.wrapping_add(*delta);
        Some(*node)
    });
    trie(edges.len() + 1, edges.iter().copied(), ends)
}

/// Builds a trie from edges in preorder and the nodes where words end.
fn trie(
    nodes: usize,
    edges: impl DoubleEndedIterator<Item = [u64; 3]>,
    ends: impl Iterator<Item = u64>,
) -> Result<Trie> {
    let mut trie = Trie::with_nodes(nodes);
    let known = |node: u64| match u32::try_from(node) {
        Ok(node) if (node as usize) < nodes => Ok(node),
        _ => Err(Error::corrupt(format!("unknown node {node}"))),
    };
    // In reverse, because each node is inserted before its siblings.
    for [source, label, target] in edges.rev() {
        trie.link(known(source)?, label as u8, known(target)?);
    }
    for end in ends {
        trie.end(known(end)?);
    }
    Ok(trie)
}
