/** Names the developer's machine as clusters on it do. */
export const LOCAL_HOSTS = {
  k3d: 'host.k3d.internal',
  minikube: 'host.minikube.internal',
  dockerDesktop: 'host.docker.internal',
} as const;
