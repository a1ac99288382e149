/** By which names clusters on the same machine call the machine. */
export const LOCAL_HOSTS = {
  k3d: 'host.k3d.internal',
  minikube: 'host.minikube.internal',
  dockerDesktop: 'host.docker.internal',
} as const;
