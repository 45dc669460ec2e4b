pub async fn simulate(_: kube::Client, _: bowline_runtime::Metrics, stop: impl Future<Output = ()> + Send) {
    stop.await
}
