//! How each thing is done that an agent does.

use bowline_agent::{Boottime, Reason, ShimError, Software as _, Told};
use bowline_api::upgrades::Software as Declared;
use bowline_upgrades::Report;
use bowline_upgrades::agent::{Act, Drain, Duties, Health};
use bowline_upgrades::plain::Plain;

use super::super::eyes::{self, News};
use super::super::hub::Trouble;
use super::super::told::{Head, written};
use super::super::version::grace;
use super::Node;

impl Node {
    pub(super) async fn perform(&mut self, act: Act<Plain>) -> Result<(), String> {
        match act {
            Act::Read => self.read_member().await,
            Act::Fence(wanted) => self.fence.want(wanted).await.map_err(|error| error.to_string()),
            Act::Start(version) => self.start(&version).await,
            Act::Drain => self.drain().await,
            Act::Tell(duties) => self.tell(duties).await,
            Act::Stop => self.stop().await,
            Act::Kill => self.kill().await,
            Act::Report(report) => self.report(report).await,
        }
    }

    async fn read_member(&mut self) -> Result<(), String> {
        // Before it is sent: what comes back was so in this tenure.
        let tenure = self.known().tenure;
        match self.hub.read().await {
            Ok(Some(sight)) => {
                self.sight = Some(sight.clone());
                self.learn(&sight, tenure);
                Ok(())
            }
            Ok(None) => {
                Err("the Member is not there any more: the node was taken out of its group".to_owned())
            }
            Err(Trouble::Outdated) => Ok(()),
            Err(Trouble::Other(why)) => Err(why),
        }
    }

    /// What a version is, as the group declares it.
    async fn declared(&mut self, version: &str) -> Result<Declared, String> {
        if let Some(known) = self.versions.get(version) {
            return Ok(known.clone());
        }
        self.declared_now(version).await
    }

    async fn declared_now(&mut self, version: &str) -> Result<Declared, String> {
        match self.hub.software(version).await {
            Ok(software) => {
                self.versions.insert(version.to_owned(), software.clone());
                Ok(software)
            }
            Err(Trouble::Other(why)) => Err(why),
            Err(Trouble::Outdated) => Err("the group has changed".to_owned()),
        }
    }

    /// Sees that what runs is asked whether it works, and has heard what it was told.
    pub(super) async fn adopt(&mut self) -> Result<bool, String> {
        let Some(run) = self.shim.as_ref().and_then(|shim| shim.run.clone()).filter(|run| run.end.is_none())
        else {
            self.unheard = false;
            return Ok(false);
        };
        if self.run.as_ref().is_some_and(|run| run.prober.is_none()) {
            let software = self.declared(&run.version).await?;
            let probe = self.place.probe(&software);
            let news = self.news.clone();
            let Some(watched) = &mut self.run else { return Ok(false) };
            let health = watched.health;
            watched.prober = Some(match probe {
                Some(probe) => eyes::prober(&run, probe, health, news),
                None => {
                    watched.health = Health::Good;
                    eyes::nobody()
                }
            });
            return Ok(true);
        }
        if !self.unheard || self.known().tenure.is_none() {
            return Ok(false);
        }
        let software = self.declared(&run.version).await?;
        if self.announce(&software).await?.is_none() {
            self.unheard = false;
        }
        Ok(false)
    }

    async fn start(&mut self, version: &str) -> Result<(), String> {
        // A version that nobody has may have been taken out and put back otherwise.
        let software = self.declared_now(version).await?;
        let partitions = self.read.as_ref().map(|read| read.desired.partitions.clone()).unwrap_or_default();
        let duties = Duties { devices: Vec::new(), partitions };
        self.write(version, &duties).await?;
        self.told = duties;
        (self.unheard, self.deaf_until) = (false, None);
        let order = self.fence.order().await;
        match self.software.start(self.place.launch(&software), order).await {
            Ok(status) => self.see_shim(status),
            // What became of it is what the shim says.
            Err(ShimError::Refused(refusal))
                if matches!(refusal.reason, Reason::CannotStart | Reason::Another) =>
            {
                let status = self.software.look().await.map_err(|error| error.to_string())?;
                self.see_shim(status);
            }
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }

    async fn drain(&mut self) -> Result<(), String> {
        let Some(version) = self.runs() else { return Ok(()) };
        let command = self.declared(&version).await.map(|software| self.place.drain(&software))?;
        let (hands, news) = (self.software.clone(), self.news.clone());
        let Some(run) = &mut self.run else { return Ok(()) };
        let since = run.since;
        let Some(command) = command else {
            run.drain = Drain::Done;
            return Ok(());
        };
        run.drain = Drain::UnderWay;
        run.drains = Some(eyes::task(async move {
            if let Err(failure) = hands.drain(&command).await {
                tracing::warn!("what drains the software failed: {failure}");
            }
            // Nobody may be there any more.
            let _ = news.send(News::Drained(since));
        }));
        Ok(())
    }

    /// The version that runs.
    fn runs(&self) -> Option<String> {
        let run = self.shim.as_ref()?.run.as_ref()?;
        run.end.is_none().then(|| run.version.clone())
    }

    /// Puts duties into the file.
    async fn write(&mut self, version: &str, duties: &Duties<Plain>) -> Result<(), String> {
        let revision = self.fence.file().await.map_or(1, |file| file.revision.saturating_add(1));
        let head = Head { group: &self.place.group, member: &self.place.member, version, revision };
        let done = self.fence.write(written(duties, &head)).await;
        done.map(drop).map_err(|error| format!("the duties cannot be written: {error}"))
    }

    /// Tells the software what it acts for. What is taken away is let go of when the software says so, for which it has its grace
    /// period.
    async fn tell(&mut self, duties: Duties<Plain>) -> Result<(), String> {
        let Some(version) = self.runs() else {
            let last = self.fence.file().await.map(|file| file.version).unwrap_or_default();
            self.write(&last, &duties).await?;
            self.told = duties;
            return Ok(());
        };
        let software = self.declared(&version).await?;
        self.write(&version, &duties).await?;
        let Some(why) = self.announce(&software).await? else {
            (self.told, self.unheard, self.deaf_until) = (duties, false, None);
            return Ok(());
        };
        if !duties.takes_from(&self.told) {
            // It is in the file, and will be heard of.
            (self.told, self.unheard) = (duties, true);
            return Ok(());
        }
        self.deaf_until.get_or_insert_with(|| Boottime::now().after(grace(&software)));
        Err(format!("{version} does not hear that something is taken from it: {why}"))
    }

    /// Lets the software know what is in the file. Says why it has not heard, if it has not.
    async fn announce(&self, software: &Declared) -> Result<Option<String>, String> {
        let notify = self.place.notify(software)?;
        let Some(file) = self.fence.file().await else { return Ok(None) };
        Ok(match file.announce(notify.as_ref()).await {
            Told::Unheard { why } => Some(why),
            Told::Heard { revision } if revision < file.revision => {
                Some(format!("it acts by revision {revision}, and not by {}", file.revision))
            }
            Told::Written | Told::Heard { .. } => None,
        })
    }

    async fn stop(&mut self) -> Result<(), String> {
        let Some(version) = self.runs() else { return Ok(()) };
        // One whose group is gone ends in the usual time.
        let grace =
            self.declared(&version).await.map_or(grace(&Declared::default()), |software| grace(&software));
        let status = self.software.stop(grace).await.map_err(|error| error.to_string())?;
        self.see_shim(status);
        Ok(())
    }

    async fn kill(&mut self) -> Result<(), String> {
        let status = self.software.kill().await.map_err(|error| error.to_string())?;
        self.deaf_until = None;
        self.see_shim(status);
        Ok(())
    }

    async fn report(&mut self, report: Report<Plain>) -> Result<(), String> {
        let Some(sight) = self.sight.clone() else { return Ok(()) };
        match self.hub.report(&sight, report).await {
            Ok(Some(after)) => {
                // A watch may have shown more since.
                if self.sight.as_ref().is_none_or(|known| after.is_after(known)) {
                    self.sight = Some(after);
                }
                Ok(())
            }
            Ok(None) => Err("the hub's answer makes no sense".to_owned()),
            // It is read again, and decided anew.
            Err(Trouble::Outdated) => self.read_member().await,
            Err(Trouble::Other(why)) => Err(why),
        }
    }
}
