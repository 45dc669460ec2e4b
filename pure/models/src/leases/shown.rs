//! A state as people read it.

use bowline_explorer::Field;

use super::state::{Record, Seen, State, Who};

impl State {
    pub(super) fn fields(&self, holders: u8) -> Vec<Field> {
        let mut fields = vec![
            Field::new("lease", self.record.map_or("-".into(), shown)),
            Field::new("acted", self.acted.map_or("-".into(), name)),
        ];
        for (h, holder) in (0..holders).zip(&self.holders) {
            let mut field =
                |what: &str, value| fields.push(Field::new(format!("{}.{what}", name(Who::Run(h))), value));
            field("process", format!("{:?}, {:?}", holder.process, holder.wish));
            let seen = |seen: Seen| format!("{}, {} ago", seen.record.map_or("none".into(), shown), seen.age);
            field("seen", holder.seen.map_or("-".into(), seen));
            field("must_look", holder.must_look.to_string());
            field("sent", holder.sent.map_or("-".into(), |sent| format!("{sent:?}")));
            field("holds", holder.held.map_or("-".into(), |held| format!("{held:?}")));
            field("late", holder.late.map_or("-".into(), |late| format!("{late:?}")));
            field("under way", format!("{:?}, {:?}", holder.effect, holder.past));
            field("ahead", holder.ahead.to_string());
        }
        fields.push(Field::new("jumped", self.jumped.to_string()));
        fields.push(Field::new("faults", self.faults.to_string()));
        fields.push(Field::new("leaves", self.leaves.to_string()));
        fields
    }
}

pub(super) fn name(who: Who) -> String {
    match who {
        Who::Run(h) => ["a", "b", "c"][usize::from(h)].into(),
        Who::Past => "past".into(),
    }
}

fn shown(record: Record) -> String {
    let holder = record.holder.map_or("nobody".into(), name);
    format!("{holder} in {} at {}", record.epoch, record.version)
}
