/** Returns a node that is ready and has room for all pods. */
export function simulatedNode(name: string, address: string, now: string): object {
  const resources = { cpu: '64', memory: '256Gi', pods: '10k', 'ephemeral-storage': '1Ti' };
  const ready = { reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
    spec: {},
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now, ...ready }],
      nodeInfo: { kubeletVersion: 'simulated', operatingSystem: 'linux', architecture: 'amd64' },
    },
  };
}
