//! A count of the work, for the test that it grows with the text and not faster. Outside of tests it is nothing.

/// Counts steps over characters, bytes or items.
#[cfg(not(test))]
pub(super) const fn spend(_steps: usize) {}

/// Counts steps over characters, bytes or items.
#[cfg(test)]
pub(super) fn spend(steps: usize) {
    SPENT.with(|spent| spent.set(spent.get() + steps));
}

/// The steps since the last call on this thread.
#[cfg(test)]
pub(in crate::web) fn spent() -> usize {
    SPENT.with(|spent| spent.replace(0))
}

#[cfg(test)]
std::thread_local! {
    static SPENT: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}
