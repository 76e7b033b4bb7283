"""Users, tokens and kubeconfig files of a test cluster."""

import secrets
import subprocess

# Users that every cluster has, and their groups. What others may do is up to RBAC.
USERS = {
    "admin": ["system:masters"],
    "system:kube-scheduler": [],
    "leadline": [],
    "nobody": [],
}


class Credentials:
    """Makes the API server's token file and service account key, and kubeconfigs that match."""

    def __init__(self, directory, server, ca_file, users=None):
        self.server = server
        self.ca_file = ca_file
        self._directory = directory
        self._users = {**USERS, **(users or {})}
        self._tokens = {user: secrets.token_hex(16) for user in self._users}
        self.token_file = directory / "tokens.csv"
        self.token_file.write_text("".join(
            f'{self._tokens[user]},{user},{user},"{",".join(groups)}"\n'
            for user, groups in self._users.items()))
        self.service_account_key = directory / "service-account.key"
        subprocess.run(["openssl", "genrsa", "-out", self.service_account_key, "2048"],
                       check=True, capture_output=True)

    def token(self, user="admin"):
        return self._tokens[user]

    def kubeconfig(self, user="admin"):
        """Writes (once) and returns the kubeconfig file of a user, in the form kubectl writes."""
        path = self._directory / f"{user.replace(':', '-')}.kubeconfig"
        if path.exists():
            return path  # a program that was started with it may be reading it
        path.write_text(f"""apiVersion: v1
kind: Config
clusters:
- name: testbed
  cluster:
    server: {self.server}
    certificate-authority: {self.ca_file}
users:
- name: {user!r}
  user:
    token: {self._tokens[user]}
contexts:
- name: testbed
  context:
    cluster: testbed
    user: {user!r}
current-context: testbed
""")
        path.chmod(0o600)
        return path
