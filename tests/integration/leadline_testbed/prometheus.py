"""A real Prometheus: its configuration, and what can be asked of it."""

import json
import urllib.error
import urllib.parse
import urllib.request

# kwok serves every node under one address, told apart by the path alone.
_KWOK_JOB = """- job_name: kubelet
  http_sd_configs:
  - url: http://127.0.0.1:{port}/discovery/prometheus
    refresh_interval: 5s
  relabel_configs:
  - source_labels: [__metrics_path__]
    regex: /metrics/nodes/([^/]+)/metrics/resource
    target_label: node
    replacement: $1
  - source_labels: [node]
    target_label: instance
"""


def configuration(kwok_port=None, targets=(), scrape_interval="1s", rule_files=()):
    """The text of a prometheus.yml.

    `targets` holds (job, address, labels) for everything with a fixed address: probe agents with
    their `node` label, schedulers with a job of their own.
    """
    text = f"global:\n  scrape_interval: {scrape_interval}\n  scrape_timeout: {scrape_interval}\n"
    if rule_files:
        text += "rule_files:\n" + "".join(f"- {json.dumps(str(file))}\n" for file in rule_files)
    text += "scrape_configs:\n"
    if kwok_port:
        text += _KWOK_JOB.format(port=kwok_port)
    jobs = {}
    for job, address, labels in targets:
        jobs.setdefault(job, []).append({"targets": [address], "labels": labels})
    for job, groups in jobs.items():
        # A list written as JSON is YAML as well.
        text += f"- job_name: {json.dumps(job)}\n  static_configs: {json.dumps(groups)}\n"
    return text


class PrometheusClient:
    """Instant queries."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def _get(self, path, **query):
        encoded = urllib.parse.urlencode(query)
        try:
            with urllib.request.urlopen(f"{self.url}{path}?{encoded}", timeout=30) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"Prometheus: {error.code} {error.read().decode()}") from error

    def ready(self):
        try:
            return bool(self._get("/-/ready"))
        except RuntimeError:
            return False

    def query(self, expression):
        """The answer as a list of (labels, value)."""
        answer = json.loads(self._get("/api/v1/query", query=expression))
        return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]

    def by_label(self, expression, label="node"):
        """The answer as {value of that label: value}; a duplicate is an error."""
        found = {}
        for labels, value in self.query(expression):
            if labels.get(label) in found:
                raise RuntimeError(f"{expression}: two series with {label}={labels.get(label)}")
            found[labels.get(label)] = value
        return found

    def reload(self):
        urllib.request.urlopen(urllib.request.Request(self.url + "/-/reload", method="POST"),
                               timeout=30).close()
