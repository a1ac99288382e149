import { countOf, type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { headerName, portName } from '../text.rules.js';

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** Checks a probe; those of liveness and startup must have a success threshold of 1. */
export function validateProbe(
  report: FieldReport,
  path: string,
  value: unknown,
  kind: string,
  gracePeriod: number,
): void {
  const probe = structOf(value);
  if (!probe) return;
  const { sleep: _, ...withoutSleep } = probe;
  validateHandler(report, path, withoutSleep, gracePeriod);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    report.nonNegative(`${path}.${field}`, probe[field]);
  }
  const grace = probe['terminationGracePeriodSeconds'];
  if (grace !== undefined && Number(grace) <= 0) {
    report.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
  }
  if (kind === 'readinessProbe') {
    if (grace === undefined) return;
    report.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes');
  } else if (probe['successThreshold'] !== 1) {
    report.invalid(`${path}.successThreshold`, probe['successThreshold'] ?? 0, 'must be 1');
  }
}

/** Checks the handlers of a container's beginning and end. */
export function validateLifecycle(report: FieldReport, path: string, value: unknown, gracePeriod: number): void {
  const lifecycle = structOf(value);
  for (const field of ['postStart', 'preStop']) {
    const handler = structOf(lifecycle?.[field]);
    if (handler) validateHandler(report, `${path}.${field}`, handler, gracePeriod);
  }
}

function validateHandler(report: FieldReport, path: string, handler: Values, gracePeriod: number): void {
  const given = HANDLERS.filter((each) => structOf(handler[each]));
  for (const [index, field] of given.entries()) {
    const at = `${path}.${field}`;
    const action = handler[field] as Values;
    if (index > 0) report.forbidden(at, 'may not specify more than 1 handler type');
    else if (field === 'exec') {
      if (countOf(action['command']) === 0) report.required(`${at}.command`);
    } else if (field === 'httpGet') validateHttpGet(report, at, action);
    else if (field === 'sleep') validateSleep(report, at, action['seconds'], gracePeriod);
    else validatePort(report, `${at}.port`, action['port'] ?? 0);
  }
  if (given.length === 0) report.required(path, 'must specify a handler type');
}

function validateHttpGet(report: FieldReport, path: string, action: Values): void {
  report.requiredText(`${path}.path`, action['path']);
  validatePort(report, `${path}.port`, action['port'] ?? 0);
  report.oneOf(`${path}.scheme`, action['scheme'], ['HTTP', 'HTTPS']);
  for (const { name } of itemsOf(action['httpHeaders'])) report.named(`${path}.httpHeaders`, name, headerName);
}

function validateSleep(report: FieldReport, path: string, seconds: unknown, gracePeriod: number): void {
  if (Number(seconds ?? 0) >= 0 && Number(seconds ?? 0) <= gracePeriod) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  report.invalid(path, seconds ?? 0, detail);
}

/** Checks a port that is given by number or by name. */
export function validatePort(report: FieldReport, path: string, port: unknown): void {
  if (typeof port === 'string') report.named(path, textOf(port), portName);
  else report.port(path, port);
}
