//! Collects the keys of one path over all blocks of a frame.

use std::collections::HashMap;

use super::{JsonKind, JsonNode, Kinds, MANY_KEYS, Struct, looks_like_id, maps_by_density};

/// The keys of the structs of all blocks, and the pairs of adjacent keys.
pub struct Union {
    pub names: Vec<String>,
    pub places: HashMap<String, usize>,
    pub edges: Vec<(u32, u32)>,
}

impl Union {
    pub fn of(nodes: &[JsonNode]) -> Self {
        let mut union = Self {
            names: Vec::new(),
            places: HashMap::new(),
            edges: Vec::new(),
        };
        for node in nodes {
            let JsonKind::Struct(Struct { fields, edges }) = &node.kind else {
                continue;
            };
            let mut places = Vec::with_capacity(fields.len());
            for (at, (name, _)) in fields.iter().enumerate() {
                // Blocks mostly have the same keys in the same order.
                places.push(if union.names.get(at) == Some(name) {
                    at
                } else if let Some(&place) = union.places.get(name) {
                    place
                } else {
                    union.places.insert(name.clone(), union.names.len());
                    union.names.push(name.clone());
                    union.names.len() - 1
                });
            }
            let moved = edges
                .iter()
                .map(|&(a, b)| (places[a as usize] as u32, places[b as usize] as u32));
            union.edges.extend(moved);
        }
        union
    }

    /// True if the structs of all blocks together look like maps.
    pub fn is_map(&self, nodes: &[JsonNode]) -> bool {
        let ids = || self.names.iter().all(|name| looks_like_id(name.as_bytes()));
        let many = self.names.len() > MANY_KEYS;
        if self.names.is_empty() || (!many && !ids()) {
            return false;
        }
        let (mut objects, mut entries, mut kinds) = (0, 0, Kinds::default());
        for node in nodes {
            let JsonKind::Struct(Struct { fields, .. }) = &node.kind else {
                continue;
            };
            objects += node.valid();
            for (_, field) in fields {
                entries += field.valid();
                field.add_kinds(&mut kinds);
            }
        }
        kinds.are_alike() && maps_by_density(self.names.len(), entries, objects, ids())
    }
}
