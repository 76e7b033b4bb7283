"""Random worlds and Pods, judged by the real kube-scheduler and by ours.

The real one runs with an HTTP extender that refuses every node: the nodes that it is asked about
are those that passed every filter, nothing is ever bound, and hundreds of Pods are judged against
one world that stands still. The message in the Pod's PodScheduled condition then counts the
reasons of all nodes, the extender's refusals among them. Ours is asked for the same through its
own extender endpoint, /filter.
"""
