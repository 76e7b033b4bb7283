"""Our scheduler in the demo: the shipped configuration, on the port that the docs name."""

from leadline_testbed import Scheduler, configuration

PORT = 10270
JOB = "leadline-scheduler"


def scrape_target():
    return (JOB, f"127.0.0.1:{PORT}", {})


def write_configuration(plane):
    """Makes DIRECTORY/config and DIRECTORY/scheduler.kubeconfig, which .vscode names as well."""
    kubeconfig = plane.directory / "scheduler.kubeconfig"
    kubeconfig.write_text(plane.kubeconfig("system:kube-scheduler").read_text())
    kubeconfig.chmod(0o600)
    return configuration.copy(plane)


def start(plane):
    return Scheduler(plane, config=plane.directory / "config" / "scheduler.yaml",
                     port=PORT).start()


def counters(scheduler):
    """(deferrals by the policy, decisions that a fallback took) so far."""
    return (scheduler.metric("leadline_rejections_total"),
            scheduler.metric("leadline_fallbacks_total"))


def where():
    return ("scheduler", f"http://127.0.0.1:{PORT}/metrics  /livez  /readyz"),
