import { StatusError } from '../../errors/status.error.js';
import { internalError } from '../../errors/status.errors.js';
import type { FieldReport } from '../../kinds/validation/field.report.js';
import type { PortPool } from './port.pool.js';
import type { ServicePort, ServiceSpec } from './service.fields.js';

/** Sets the numbers of ports that a request leaves out to those that they have already: by their names, unless another port took them over. */
export function keepPorts(spec: ServiceSpec, old: ServiceSpec): void {
  if (numbersAll(spec) && numbersAll(old)) {
    const wanted = new Set(portsOf(spec).map(({ nodePort }) => nodePort));
    const before = new Map(portsOf(old).map(({ name = '', nodePort }) => [name, nodePort]));
    setPorts(spec, (port) => {
      const kept = before.get(port.name ?? '');
      return port.nodePort || !kept || wanted.has(kept) ? port : { ...port, nodePort: kept };
    });
  }
  if (needsCheck(spec) && needsCheck(old) && !spec.healthCheckNodePort) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** Allocates the ports of nodes that a service needs. Reports those that it asks for and cannot have. */
export function allocatePorts(
  report: FieldReport,
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  pool: PortPool,
): void {
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') {
    if (old) updatePorts(report, spec, old, pool);
    else createPorts(report, spec, pool);
  }
  if (report.errors.length > 0 || !needsCheck(spec) || (old && needsCheck(old))) return;
  const requested = spec.healthCheckNodePort;
  const problem = requested ? pool.take(requested) : undefined;
  if (problem) throw internalError(`failed to allocate requested HealthCheck NodePort ${requested}: ${problem}`);
  spec.healthCheckNodePort = requested || pool.next();
}

/** Creates the ports of a service. Ports of one number under several protocols share a port of the nodes. */
function createPorts(report: FieldReport, spec: ServiceSpec, pool: PortPool): void {
  const shared = new Map<unknown, number>();
  const ports = portsOf(spec);
  setPorts(spec, (port, index) => {
    const { nodePort } = port;
    if (report.errors.length > 0 || (!nodePort && !numbersAll(spec))) return port;
    const known = shared.get(port.port);
    const requested = known ? nodePort : ports.find((each) => each.port === port.port && each.nodePort)?.nodePort;
    if (known && (!nodePort || nodePort === known)) return { ...port, nodePort: known };
    const problem = requested ? pool.take(requested) : undefined;
    if (problem) report.invalid(`spec.ports[${index}].nodePort`, requested, problem);
    const number = requested || pool.next();
    if (!known) shared.set(port.port, number);
    return { ...port, nodePort: number };
  });
}

function updatePorts(report: FieldReport, spec: ServiceSpec, old: ServiceSpec, pool: PortPool): void {
  const mine = new Set(portsOf(old).map(({ nodePort }) => nodePort));
  const seen = new Set<string>();
  setPorts(spec, (port, index) => {
    const { nodePort } = port;
    if (report.errors.length > 0 || (!nodePort && !numbersAll(spec))) return port;
    const isMine = nodePort && mine.has(nodePort);
    const problem = nodePort && !isMine ? pool.take(nodePort) : undefined;
    if (problem) report.invalid(`spec.ports[${index}].nodePort`, nodePort, problem);
    const number = nodePort || pool.next();
    mine.add(number);
    const key = `${port.protocol} ${number}`;
    if (seen.has(key)) throw new StatusError(500, '', `duplicate nodePort: {${key}}`);
    seen.add(key);
    return { ...port, nodePort: number };
  });
}

function numbersAll({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

function needsCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

function portsOf({ ports }: ServiceSpec): readonly ServicePort[] {
  return Array.isArray(ports) ? ports : [];
}

function setPorts(spec: ServiceSpec, change: (port: ServicePort, index: number) => ServicePort): void {
  if (portsOf(spec).length > 0) spec.ports = portsOf(spec).map(change);
}
