//! Adds the facts of one root to those of others.
//!
//! Judges nothing; what two roots say of the same thing is put together.

use super::facts::Facts;
use super::pages::Delivery;

impl Facts {
    /// Adds the facts of another root.
    pub fn absorb(&mut self, other: &Facts) {
        let Facts {
            responses,
            windows,
            builders,
            undecided,
            unfinished,
            raw_fields,
            passthroughs,
            paged_tools,
            commands,
            deliveries,
            unpaired,
            second_calls,
            declarations,
            loose_schemas,
            on_groups,
            aliases,
            inconsistencies,
            flags,
            outlines,
        } = other;
        self.responses.extend_from_slice(responses);
        self.windows.extend_from_slice(windows);
        self.builders.extend_from_slice(builders);
        self.undecided.extend_from_slice(undecided);
        self.unfinished.extend_from_slice(unfinished);
        self.raw_fields.extend_from_slice(raw_fields);
        self.passthroughs.extend_from_slice(passthroughs);
        for (tool, by) in paged_tools {
            let known = self.paged_tools.entry(tool.clone()).or_default();
            known.asked = known.asked.or(by.asked);
            known.read.extend(&by.read);
        }
        self.commands.extend_from_slice(commands);
        for (command, delivery) in deliveries {
            self.deliveries.entry(command.clone()).or_default().absorb(delivery);
        }
        self.unpaired.extend_from_slice(unpaired);
        self.second_calls.extend_from_slice(second_calls);
        self.declarations.extend(declarations.iter().map(|(at, d)| (*at, d.clone())));
        self.loose_schemas.extend(loose_schemas.iter().cloned());
        self.on_groups.extend(on_groups);
        self.aliases.extend_from_slice(aliases);
        self.inconsistencies.extend_from_slice(inconsistencies);
        self.outlines.extend_from_slice(outlines);
        self.flags.extend(flags.iter().cloned());
    }
}

impl Delivery {
    /// Adds what another root shows of the same command.
    pub fn absorb(&mut self, other: &Delivery) {
        self.emits |= other.emits;
        self.plain |= other.plain;
        self.own |= other.own;
        self.unsure |= other.unsure;
        self.asks |= other.asks;
        self.sites.extend(&other.sites);
    }
}
