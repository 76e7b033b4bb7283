"""The command line of each control plane program."""

from . import audit, paths


def etcd(directory, client_port, peer_port):
    client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        paths.tool("etcd"), "--name", "testbed", "--data-dir", directory / "etcd",
        "--unsafe-no-fsync",  # a test's data need not survive the machine
        "--listen-client-urls", client, "--advertise-client-urls", client,
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        "--initial-cluster", f"testbed={peer}", "--log-level", "warn",
    ]


def kube_apiserver(directory, port, etcd_port, credentials, address, disabled_admission=(),
                   audit_log=True):
    """`disabled_admission`: plugins that count on controllers which are not there."""
    key = credentials.service_account_key
    command = [
        paths.tool("kube-apiserver"), "--etcd-servers", f"http://127.0.0.1:{etcd_port}",
        "--bind-address", address, "--advertise-address", "127.0.0.1", "--secure-port", port,
        "--cert-dir", directory / "apiserver", "--token-auth-file", credentials.token_file,
        "--service-account-key-file", key, "--service-account-signing-key-file", key,
        "--service-account-issuer", "https://testbed.invalid", "--authorization-mode", "RBAC",
        "--service-cluster-ip-range", "10.96.0.0/16", "--allow-privileged",
        # A Service of loopback addresses is refused, and nobody here looks for one.
        "--endpoint-reconciler-type", "none", "--v", "1",
    ]
    if audit_log:
        command += audit.flags(directory)
    if disabled_admission:
        command += ["--disable-admission-plugins", ",".join(disabled_admission)]
    return command


def kube_controller_manager(kubeconfig, credentials):
    return [
        paths.tool("kube-controller-manager"), "--kubeconfig", kubeconfig, "--secure-port", 0,
        "--leader-elect=false", "--root-ca-file", credentials.ca_file,
        "--service-account-private-key-file", credentials.service_account_key,
        "--v", "1",
    ]


def kube_scheduler(kubeconfig, port, config=None):
    """`port` serves its metrics over HTTPS; `config` is a KubeSchedulerConfiguration file."""
    command = [paths.tool("kube-scheduler"), "--secure-port", port, "--bind-address", "127.0.0.1",
               "--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
               "--authorization-always-allow-paths", "/healthz,/livez,/readyz,/metrics",
               "--v", "2"]
    if config:
        return command + ["--config", config]
    return command + ["--kubeconfig", kubeconfig, "--leader-elect=false"]


def kwok(kubeconfig, port, config):
    return [paths.tool("kwok"), "--kubeconfig", kubeconfig, "--manage-all-nodes=true",
            "--config", config, "--node-lease-duration-seconds", 40,
            "--server-address", f"127.0.0.1:{port}", "--cidr", "10.244.0.0/16"]


def prometheus(directory, port, config):
    return [paths.tool("prometheus"), "--config.file", config,
            "--storage.tsdb.path", directory / "prometheus", "--web.enable-lifecycle",
            "--web.listen-address", f"127.0.0.1:{port}", "--log.level", "warn"]
