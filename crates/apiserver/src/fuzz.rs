//! Every parser that no request reaches, or of which more can be seen from inside, on input that is nearly good. What requests
//! carry is tried in `tests/fuzz`.

mod texts;

/// Inputs of each target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 1000;

#[test]
fn what_is_nearly_good_is_read_or_refused() {
    let targets = [
        crate::store::fuzz::targets(),
        crate::audit::fuzz::targets(),
        crate::auth::pki::fuzz::targets(),
        crate::auth::tokens::fuzz::targets(),
        crate::verbs::fuzz::targets(),
        texts::targets(),
    ];
    bowline_fuzz::run(&targets.into_iter().flatten().collect::<Vec<_>>(), INPUTS);
}
