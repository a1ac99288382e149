import { mapping } from '../../common/json.values.js';
import type { Random } from 'kube-common';
import { itemsOf } from '../../kinds/validation/field.report.js';
import type { ObjectStore } from '../../storage/object.store.js';

const FIRST_PORT = 30_000;
const PORTS = 2768;
const OUT_OF_RANGE = `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${FIRST_PORT + PORTS - 1}`;

/** The ports of nodes, for one write of a service: those of other services are taken, and those that it takes itself. */
export class PortPool {
  private used: Set<unknown> | undefined;

  constructor(
    private readonly store: ObjectStore,
    private readonly random: Random,
    private readonly dryRun: boolean,
  ) {}

  /** Takes a port that is asked for. @returns why that is not possible, `undefined` if it is */
  take(port: number): string | undefined {
    // As on the real server, a dry run does not look at the range.
    if (!this.dryRun && (port < FIRST_PORT || port >= FIRST_PORT + PORTS)) return OUT_OF_RANGE;
    const taken = this.taken();
    if (taken.has(port)) return 'provided port is already allocated';
    taken.add(port);
    return undefined;
  }

  /** Takes any free port. */
  next(): number {
    const taken = this.taken();
    const start = Math.floor(this.random.next() * PORTS);
    for (let index = 0; index < PORTS; index += 1) {
      const port = FIRST_PORT + ((start + index) % PORTS);
      if (taken.has(port)) continue;
      taken.add(port);
      return port;
    }
    throw new Error('All ports of nodes are taken');
  }

  private taken(): Set<unknown> {
    if (this.used) return this.used;
    this.used = new Set<unknown>();
    for (const { object } of this.store.collection('services').list()) {
      const { ports, healthCheckNodePort } = mapping(object['spec']);
      this.used.add(healthCheckNodePort);
      for (const { nodePort } of itemsOf(ports)) this.used.add(nodePort);
    }
    return this.used;
  }
}
