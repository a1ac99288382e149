import type { ApiResponse } from './api.request.js';

/** The checks of the parts that the real server starts, in its order. */
const STARTED = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/peer-endpoint-reconciler-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];
/** The checks of each path: none of them can fail here, as the server answers only once it has started. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...STARTED],
  livez: ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...STARTED],
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...STARTED, 'shutdown'],
};
const PATH = /^\/(healthz|livez|readyz)(?:\/(.*))?$/;
const HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * Answers the health checks, all together or single ones: `/readyz?verbose&exclude=etcd`, `/livez/ping`.
 *
 * @returns `undefined` for another path
 */
export function healthAnswer(path: string, query: URLSearchParams): ApiResponse | undefined {
  const [, kind = '', name = ''] = PATH.exec(path.replace(/\/$/, '')) ?? [];
  const checks = CHECKS[kind];
  if (!checks) return undefined;
  if (name) return checks.includes(name) ? text('ok') : undefined;
  if (!query.has('verbose')) return text('ok');
  const excluded = query.getAll('exclude');
  const lines = checks.map((each) => `[+]${each} ${excluded.includes(each) ? 'excluded: ok' : 'ok'}\n`);
  const unknown = excluded.filter((each) => !checks.includes(each)).map((each) => JSON.stringify(each));
  if (unknown.length > 0) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.sort().join(', ')}\n`);
  }
  return text(`${lines.join('')}${kind} check passed\n`);
}

/** The content type of metrics, as the real server writes it. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Answers `/metrics/slis`: the health checks as metrics. */
export function healthMetrics(): ApiResponse {
  const series = ['healthz', 'readyz'].flatMap((type) => CHECKS[type]!.map((name) => ({ name, type })));
  series.sort((a, b) => (a.name === b.name ? (a.type < b.type ? -1 : 1) : a.name < b.name ? -1 : 1));
  const lines = [
    '# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.',
    '# TYPE kubernetes_healthcheck gauge',
    ...series.map(({ name, type }) => `kubernetes_healthcheck{name="${name}",type="${type}"} 1`),
    '# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.',
    '# TYPE kubernetes_healthchecks_total counter',
    ...series.map(
      ({ name, type }) => `kubernetes_healthchecks_total{name="${name}",status="success",type="${type}"} 1`,
    ),
  ];
  return { status: 200, headers: { 'content-type': METRICS_TYPE }, body: `${lines.join('\n')}\n` };
}

function text(body: string): ApiResponse {
  return { status: 200, headers: HEADERS, body };
}
