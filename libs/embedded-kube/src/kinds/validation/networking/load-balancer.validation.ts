import { isIP } from 'node:net';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { subdomain } from '../../../resources/name.rules.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateAddress } from '../text.rules.js';

const AT = 'status.loadBalancer.ingress';

/** Checks the addresses that a load balancer has given to a service, which it does for one type of services only. */
export function validateServiceStatus(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const ingress = ingressOf(object);
  if (ingress.length === 0) return;
  if (structOf(object['spec'])?.['type'] !== 'LoadBalancer') {
    return report.forbidden(AT, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  const known = knownAddresses(previous);
  for (const [index, each] of ingress.entries()) {
    const at = `${AT}[${index}]`;
    const { ip = '', ipMode } = each;
    if (ip && !known.has(ip)) validateAddress(report, `${at}.ip`, ip);
    if (ip && ipMode === undefined) report.required(`${at}.ipMode`, 'must be specified when `ip` is set');
    else if (!ip && ipMode !== undefined) report.forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set');
    else if (ipMode !== undefined) report.oneOf(`${at}.ipMode`, ipMode, ['Proxy', 'VIP']);
    validateHost(report, `${at}.hostname`, each);
  }
}

/** Checks the addresses under which an ingress is reached. */
export function validateIngressStatus(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const known = knownAddresses(previous);
  for (const [index, each] of ingressOf(object).entries()) {
    const at = `${AT}[${index}]`;
    if (each['ip'] && !known.has(each['ip'])) validateAddress(report, `${at}.ip`, each['ip']);
    validateHost(report, `${at}.hostname`, each);
  }
}

function validateHost(report: FieldReport, at: string, { hostname }: Values): void {
  if (!hostname) return;
  report.named(at, hostname, subdomain);
  if (isIP(textOf(hostname)) > 0) report.invalid(at, hostname, 'must be a DNS name, not an IP address');
}

function ingressOf(object: Draft | KubeObject): Values[] {
  return itemsOf(structOf(structOf(object['status'])?.['loadBalancer'])?.['ingress']);
}

/** Returns the addresses that were accepted once, which stay valid. */
function knownAddresses(previous: KubeObject | undefined): ReadonlySet<unknown> {
  return new Set(previous ? ingressOf(previous).map(({ ip }) => ip) : []);
}
