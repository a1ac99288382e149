/** The parts of a service's spec that allocation reads and writes. */
export interface ServiceSpec {
  [field: string]: unknown;
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  ports?: ServicePort[];
  externalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  healthCheckNodePort?: number;
}

/** A port of a service. */
export interface ServicePort {
  readonly [field: string]: unknown;
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly nodePort?: number;
}
