import { mapping } from '../common/json.values.js';
import type { Random } from '../common/random.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { AdmissionPlugin } from './admission.plugin.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';

/** The first two numbers of the addresses of services. */
const NETWORK = '10.96';

const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;

type Values = Readonly<Record<string, unknown>>;

/** Gives services their addresses and the ports of nodes, and keeps them. */
export class ServiceAddressPlugin implements AdmissionPlugin {
  readonly name = 'ServiceAddress';

  constructor(
    private readonly store: ObjectStore,
    private readonly random: Random,
  ) {}

  admit({ served, subresource, object, previous }: AdmissionAttributes): void {
    if (served.storageKey !== 'services' || !object || subresource) return;
    const spec = mapping(object['spec']);
    if (spec['type'] === 'ExternalName') return;
    const old = mapping(previous?.['spec']);
    object['spec'] = { ...this.withAddress(spec, old), ...this.withPorts(spec, old) };
  }

  private withAddress(spec: Values, old: Values): Values {
    const listed = Array.isArray(spec['clusterIPs']) ? spec['clusterIPs'] : undefined;
    // Addresses without a first one are rejected later.
    const isOdd = spec['clusterIP'] === undefined && listed !== undefined;
    const clusterIP = spec['clusterIP'] ?? (isOdd ? undefined : (old['clusterIP'] ?? this.freeAddress()));
    return {
      ...spec,
      ...(clusterIP !== undefined && { clusterIP, clusterIPs: listed ?? [clusterIP] }),
      ipFamilies: spec['ipFamilies'] ?? ['IPv4'],
      ipFamilyPolicy: spec['ipFamilyPolicy'] ?? 'SingleStack',
    };
  }

  /** Gives the ports of services that nodes serve a port of the nodes; keeps those that they have, and takes them away again. */
  private withPorts(spec: Values, old: Values): Values {
    const { type } = spec;
    const ports = Array.isArray(spec['ports']) ? spec['ports'].map(mapping) : [];
    const before = Array.isArray(old['ports']) ? old['ports'].map(mapping) : [];
    const isOnNodes =
      type === 'NodePort' || (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
    const taken = new Set(ports.map(({ nodePort }) => nodePort));
    const numbered = ports.map((port) => {
      const same = before.find((each) => each['port'] === port['port'] && each['protocol'] === port['protocol']);
      const kept = same?.['nodePort'];
      if (!isOnNodes) {
        const { nodePort, ...rest } = port;
        return nodePort === kept ? rest : port;
      }
      return port['nodePort'] ? port : { ...port, nodePort: kept ?? this.freePort(taken) };
    });
    const needsCheck = type === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
    return {
      ...(ports.length > 0 && { ports: numbered }),
      ...(needsCheck && {
        healthCheckNodePort: spec['healthCheckNodePort'] ?? old['healthCheckNodePort'] ?? this.freePort(taken),
      }),
    };
  }

  private freePort(taken: Set<unknown>): number {
    const used = new Set<unknown>(taken);
    for (const { object } of this.store.collection('services').list()) {
      const { ports, healthCheckNodePort } = mapping(object['spec']);
      used.add(healthCheckNodePort);
      for (const port of Array.isArray(ports) ? ports : []) used.add(mapping(port)['nodePort']);
    }
    const start = Math.floor(this.random.next() * NODE_PORTS);
    for (let index = 0; index < NODE_PORTS; index += 1) {
      const port = FIRST_NODE_PORT + ((start + index) % NODE_PORTS);
      if (used.has(port)) continue;
      taken.add(port);
      return port;
    }
    throw new Error('All ports of nodes are taken');
  }

  private freeAddress(): string {
    const taken = new Set(
      this.store
        .collection('services')
        .list()
        .map(({ object }) => mapping(object['spec'])['clusterIP']),
    );
    const start = Math.floor(this.random.next() * 65_000);
    for (let index = 0; index < 65_000; index += 1) {
      const number = 257 + ((start + index) % 65_000);
      const address = `${NETWORK}.${number >> 8}.${number & 255}`;
      if (!taken.has(address)) return address;
    }
    throw new Error('All addresses of services are taken');
  }
}
