import { isIP } from 'node:net';
import { label, type NameRule, pathSegment, subdomain } from '../../../resources/name.rules.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { portName } from '../text.rules.js';

const WILDCARD = '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const SUFFIXES = ['/..', '/.'];

const wildcard: NameRule = (name) => [
  ...(name.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(new RegExp(`^${WILDCARD}$`).test(name)
    ? []
    : [
        `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '${WILDCARD}')`,
      ]),
];

export function validateIngress(report: FieldReport, spec: Values): void {
  const { defaultBackend, rules, tls, ingressClassName } = spec;
  const backend = structOf(defaultBackend);
  if (countOf(rules) === 0 && !backend) {
    report.invalid('spec', rules ?? null, 'either `defaultBackend` or `rules` must be specified');
  }
  if (backend) validateBackend(report, 'spec.defaultBackend', backend);
  for (const [index, rule] of itemsOf(rules).entries()) validateRule(report, `spec.rules[${index}]`, rule);
  for (const [index, { hosts, secretName }] of itemsOf(tls).entries()) {
    for (const [position, host] of textsOf(hosts).entries()) {
      report.named(`spec.tls[${index}].hosts[${position}]`, host, host.includes('*') ? wildcard : subdomain);
    }
    if (secretName) report.named(`spec.tls[${index}].secretName`, secretName, subdomain);
  }
  if (ingressClassName !== undefined) report.named('spec.ingressClassName', ingressClassName, subdomain);
}

function validateRule(report: FieldReport, path: string, rule: Values): void {
  const host = textOf(rule['host']);
  if (host) {
    if (isIP(host)) report.invalid(`${path}.host`, host, 'must be a DNS name, not an IP address');
    report.named(`${path}.host`, host, host.includes('*') ? wildcard : subdomain);
  }
  const http = structOf(rule['http']);
  if (!http) return;
  const paths = itemsOf(http['paths']);
  if (paths.length === 0) report.required(`${path}.http.paths`);
  for (const [index, each] of paths.entries()) validatePath(report, `${path}.http.paths[${index}]`, each);
}

function validatePath(report: FieldReport, path: string, { path: target, pathType, backend }: Values): void {
  const text = textOf(target);
  if (pathType === undefined) return report.required(`${path}.pathType`, 'pathType must be specified');
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!text.startsWith('/')) report.invalid(`${path}.path`, text, 'must be an absolute path');
    for (const part of SEQUENCES) {
      if (text.includes(part)) report.invalid(`${path}.path`, text, `must not contain '${part}'`);
    }
    for (const end of SUFFIXES)
      if (text.endsWith(end)) report.invalid(`${path}.path`, text, `cannot end with '${end}'`);
  } else if (pathType === 'ImplementationSpecific') {
    if (text && !text.startsWith('/')) report.invalid(`${path}.path`, text, 'must be an absolute path');
  } else report.oneOf(`${path}.pathType`, pathType, ['Exact', 'ImplementationSpecific', 'Prefix']);
  validateBackend(report, `${path}.backend`, structOf(backend) ?? {});
}

function validateBackend(report: FieldReport, path: string, backend: Values): void {
  const [service, resource] = [structOf(backend['service']), structOf(backend['resource'])];
  if (service && resource) return report.invalid(path, '', 'cannot set both resource and service backends');
  if (resource) return validateReference(report, `${path}.resource`, resource);
  if (!service) return report.invalid(path, '', 'resource or service backend is required');
  report.namedRequired(`${path}.service.name`, service['name'], label);
  const { name, number } = structOf(service['port']) ?? {};
  if (name && number) report.invalid(path, '', 'cannot set both port name & port number');
  else if (name) report.named(`${path}.service.port.name`, name, portName);
  else if (number) report.port(`${path}.service.port.number`, number);
  else report.required(path, 'port name or number is required');
}

function validateReference(report: FieldReport, path: string, { apiGroup, kind, name }: Values): void {
  if (apiGroup !== undefined) report.named(`${path}.apiGroup`, apiGroup, subdomain);
  report.namedRequired(`${path}.kind`, kind, pathSegment);
  report.namedRequired(`${path}.name`, name, pathSegment);
}

export function validateIngressClass(report: FieldReport, spec: Values, old: Values | undefined): void {
  if (old && spec['controller'] !== old['controller']) {
    report.invalid('spec.controller', textOf(spec['controller']), 'field is immutable');
  }
  const controller = textOf(spec['controller']);
  const [domain = '', ...rest] = controller.split('/');
  if (!controller) report.required('spec.controller');
  else if (!domain || !rest.join('/')) {
    report.invalid('spec.controller', controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else for (const problem of subdomain(domain)) report.invalid('spec.controller', domain, problem);
  const parameters = structOf(spec['parameters']);
  if (!parameters) return;
  validateReference(report, 'spec.parameters', parameters);
  const { scope, namespace } = parameters;
  report.oneOf('spec.parameters.scope', scope, ['Cluster', 'Namespace']);
  const at = 'spec.parameters.namespace';
  if (scope === 'Namespace') {
    if (namespace === undefined) report.required(at, "`parameters.scope` is set to 'Namespace'");
    else report.named(at, namespace, label);
  } else if (scope === 'Cluster' && namespace !== undefined) {
    report.forbidden(at, "`parameters.scope` is set to 'Cluster'");
  }
}
