"""Our Kubernetes client against a real API server."""

import os
import subprocess
import unittest

from leadline_testbed import ControlPlaneTestCase, paths


class KubernetesClientTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver")

    def test_the_client_and_a_real_api_server(self):
        program = paths.build_directory() / "tests" / "kubernetes_cluster_test"
        self.assertTrue(program.exists(), f"{program} is missing")
        done = subprocess.run(
            [program], timeout=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "LEADLINE_TEST_KUBECONFIG": str(self.plane.kubeconfig())})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("SKIPPED", done.stdout)


if __name__ == "__main__":
    unittest.main()
