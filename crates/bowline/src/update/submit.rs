//! `bowline update submit`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bowline_api::Digest;
use bowline_api::updates::{Cluster, Stack, Update, UpdateSpec};
use bowline_bundle::{Packed, Source, pack, read};
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Resource, ResourceExt};

use super::content::Kept;
use super::follow::Following;
use super::stacks::{Wish, note_pause};
use super::{Scope, Settings, Team, WRITER};
use crate::cluster;
use crate::connection::failed;
use crate::exit::{BadUsage, Exit, Refused};
use crate::figures::counted;
use crate::memory::Memory;
use crate::output::{self, Format};
use crate::signals::{Interrupts, end_by};

/// The annotation that says who submitted an update, as its submitter was told by the server.
const SUBMITTED_BY: &str = "bowline.dev/submitted-by";

/// Who submitted an update; empty if nobody has said.
pub(super) fn submitter(update: &Update) -> String {
    update.annotations().get(SUBMITTED_BY).cloned().unwrap_or_default()
}

/// What is to be submitted, and where to.
pub(crate) struct Submission {
    /// A directory or a file; `-` is standard input.
    pub(crate) path: PathBuf,
    pub(crate) cluster: String,
    /// Without it, the stack is called as the cluster is.
    pub(crate) stack: Option<String>,
    /// What the stack is told from now on.
    pub(crate) settings: Settings,
    pub(crate) plan_hash: Option<String>,
}

/// Submits a version. Everything that can be seen to be wrong is refused before anything is made.
pub(crate) async fn submit(
    scope: &Scope,
    submission: &Submission,
    following: &Following,
    format: Format,
) -> anyhow::Result<Exit> {
    let piped = scope.command("submit", Path::new("-"), &submission.cluster, submission.stack.as_deref());
    let packed = packed(&submission.path, &piped)?;
    let team = scope.team().await?;
    let cluster = team.may_use(&submission.cluster).await?;
    let stack = submission.stack.as_deref().unwrap_or(&submission.cluster);
    let wish = Wish { name: stack, cluster: &submission.cluster, settings: submission.settings };
    let there = team.look_at_stack(&wish).await?;
    cluster.as_ref().map_or(Ok(()), takes_versions)?;
    there.iter().for_each(note_pause);

    let mut interrupts = Interrupts::listen()?;
    let kept = match interrupts.or(team.keep(&packed)).await {
        Ok(kept) => kept?,
        Err(signal) => {
            // Whoever is impatient, or whose hub does not answer, ends that too.
            let _ = interrupts.or(team.take_back(&packed)).await;
            output::note("Nothing was submitted.");
            return Err(end_by(signal));
        }
    };
    let ended = interrupts.or(submitted(&team, submission, &wish, packed, kept, following, format)).await;
    ended.unwrap_or_else(|signal| Err(end_by(signal)))
}

/// Asks for what is kept on the hub, and follows it to its end if that is wanted.
async fn submitted(
    team: &Team,
    submission: &Submission,
    wish: &Wish<'_>,
    packed: Packed,
    kept: Kept,
    following: &Following,
    format: Format,
) -> anyhow::Result<Exit> {
    let stack = wish.name;
    let plan_hash = submission.plan_hash.as_deref().map(Digest::from);
    let spec = UpdateSpec { stack: stack.into(), bundle: packed.spec.digest.clone(), plan_hash };
    let made = match team.make_stack(wish).await {
        Ok(stack) => team.ask(&stack, spec).await,
        Err(error) => Err(error),
    };
    let update = match made {
        Ok(update) => update,
        Err(error) => {
            team.forget(kept).await;
            return Err(error);
        }
    };
    team.give(&packed, &update).await?;
    let (objects, size) = (counted(u64::from(packed.spec.objects), "object"), Memory(packed.spec.size));
    following.note(&format!(
        "Submitted {objects} of {size} to the stack {stack} in {}, as {}.",
        team.namespace,
        update.name_any()
    ));
    team.end(update, following, format).await
}

/// Refuses a cluster that rejects every version: nobody has to wait for that. Of one that takes none now it is said why.
pub(super) fn takes_versions(cluster: &Cluster) -> anyhow::Result<()> {
    if let Some(why) = cluster::exposed(cluster) {
        anyhow::bail!(Refused(format!("the cluster {} takes no versions: {why}", cluster.name_any())));
    }
    note_what_keeps(cluster);
    Ok(())
}

/// Says why a cluster does not take versions now, if it does not.
fn note_what_keeps(cluster: &Cluster) {
    let name = cluster.name_any();
    if let Some(why) = cluster::trouble(cluster) {
        let why = output::sentence(&why);
        output::note(&format!(
            "The cluster {name} is not ready: {why} What is submitted waits until it is: see `bowline cluster show {name}`."
        ));
    }
    if cluster.spec.paused {
        output::note(&format!("The cluster {name} is paused: nothing is started there until it is resumed."));
    }
}

/// What is at a path, as it is submitted. What somebody has to make objects of first can be piped into the command `piped`.
pub(super) fn packed(path: &Path, piped: &str) -> anyhow::Result<Packed> {
    let manifests = if path.as_os_str() == "-" {
        read(Source::Stream(&mut std::io::stdin().lock(), "standard input"))
    } else {
        read(Source::Path(path))
    };
    let manifests = manifests.map_err(|bad| {
        let instead = if bad.fault.ends_with_command() { format!(" | {piped}") } else { String::new() };
        BadUsage(format!("{bad}{instead}"))
    })?;
    pack(&manifests).map_err(|error| BadUsage(format!("{}: {error}", path.display())).into())
}

impl Team {
    /// Asks for a version: from now on things happen. It goes with its stack, and does not hold that up.
    pub(super) async fn ask(&self, stack: &Stack, spec: UpdateSpec) -> anyhow::Result<Update> {
        let who = self.myself().await.map(|name| BTreeMap::from([(SUBMITTED_BY.to_owned(), name)]));
        let metadata = ObjectMeta {
            generate_name: Some(format!("{}-", spec.stack)),
            annotations: who,
            owner_references: stack.owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        };
        let update = Update { metadata, spec, status: None };
        let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
        let made = self.updates().create(&params, &update).await;
        made.map_err(|error| failed(error, "cannot submit the update"))
    }

    /// Who we are, as the server knows us. Old servers do not say it, and may be submitted to all the same.
    async fn myself(&self) -> Option<String> {
        let reviews: Api<SelfSubjectReview> = Api::all(self.client.clone());
        let review = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await.ok()?;
        review.status?.user_info?.username
    }

    /// Waits for the end, if that is wanted, and prints what was submitted.
    pub(super) async fn end(
        &self,
        update: Update,
        following: &Following,
        format: Format,
    ) -> anyhow::Result<Exit> {
        let (exit, update) =
            if following.wait { self.follow(update, following).await? } else { (Exit::Done, update) };
        let text =
            if format.is_text() { update.name_any() + "\n" } else { output::document(format, &update)? };
        output::print(&text)?;
        Ok(exit)
    }
}
