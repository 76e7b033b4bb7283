"""The schedulers that compete, each with the same API server, identity and freedom to write."""

from leadline_testbed import commands, configuration, free_port, paths

_KUBE = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: 5000, burst: 10000}}
percentageOfNodesToScore: {percentage}
"""

_OURS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
"""


def _kube_scheduler(percentage):
    def command(plane, _prometheus):
        kubeconfig = plane.kubeconfig("system:kube-scheduler")
        config = plane.directory / f"kube-scheduler-{percentage}.yaml"
        config.write_text(_KUBE.format(kubeconfig=kubeconfig, percentage=percentage))
        return [*commands.kube_scheduler(kubeconfig, plane.port["kube-scheduler"], config),
                "--v", "0"]
    return command


def _ours(plane, config):
    return [paths.program("leadline-scheduler"), "--leader-elect=false",
            "--kubeconfig", plane.kubeconfig("system:kube-scheduler"), "--config", config,
            "--http-address", f"127.0.0.1:{free_port()}"]


def _without_network(plane, _prometheus):
    config = plane.directory / "ours.yaml"
    config.write_text(_OURS)
    return _ours(plane, config)


def _with_network(plane, prometheus):
    config = configuration.copy(plane, "config-bench", edits=[
        ("scheduler.yaml", "schedulerName: dqn-scheduler", "schedulerName: default-scheduler"),
        ("metrics.yaml", plane.prometheus.url, prometheus)])
    return _ours(plane, config)


# Name: how to make its command line of (plane, address of a Prometheus).
CONTENDERS = {
    "kube, all nodes": _kube_scheduler(100),
    "kube, sampling": _kube_scheduler(0),  # 0: its own default
    "leadline": _without_network,
    "leadline, DQN": _with_network,
}
