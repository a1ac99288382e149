import type { DiscoveryDocuments } from '../discovery/discovery.documents.js';
import { ISSUER } from '../access/service-account.tokens.js';
import type { TokenSigner } from '../access/token.signer.js';
import type { ApiRequest, ApiResponse } from './api.request.js';
import { healthAnswer, healthMetrics } from './health.checks.js';
import { unknownResource } from '../errors/status.errors.js';
import { isBuiltinGroup } from '../kinds/builtin.registration.js';
import { prefersYaml } from './media.negotiation.js';
import type { ObjectPresenter } from './object.presenter.js';
import type { OpenApiHandler } from './open-api.handler.js';
import { assertProduced } from './route.media-types.js';

/** The version of Kubernetes whose behaviour is followed. */
const SERVER_VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3+embedded-kube',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'node',
};

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const OPENID_PATH = '/.well-known/openid-configuration';
const SLIS_PATH = '/metrics/slis';
const KEYS_PATH = '/openid/v1/jwks';
const CACHED = { 'cache-control': 'public, max-age=3600' };

/** The handler of requests for paths that are no resources: health, version, discovery, schemas. */
export class PathHandler {
  constructor(
    private readonly discovery: DiscoveryDocuments,
    private readonly openApi: OpenApiHandler,
    private readonly presenter: ObjectPresenter,
    private readonly signer: TokenSigner,
  ) {}

  handle(path: string, query: URLSearchParams, { headers }: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const health = healthAnswer(path, query);
    if (health) return health;
    if (path === SLIS_PATH) return healthMetrics();
    if (path === KEYS_PATH || path === OPENID_PATH) return this.openId(path, headers['host'] ?? '');
    const accept = headers['accept'] ?? '';
    const trimmed = path.replace(/\/+$/, '') || '/';
    const openApi = this.openApi.handle(trimmed, query, accept, headers['if-none-match']);
    if (openApi) return openApi;
    const aggregated = /g=apidiscovery\.k8s\.io/.test(accept) && /v=v2(?!beta)/.test(accept);
    if (aggregated && (trimmed === '/api' || trimmed === '/apis')) {
      const headers = { 'content-type': AGGREGATED_TYPE, vary: 'Accept' };
      return { status: 200, headers, body: this.discovery.aggregated(trimmed === '/api') };
    }
    if (trimmed === '/version') {
      assertProduced(accept, ['application/json']);
      return versionAnswer();
    }
    const document = this.document(trimmed, headers['host'] ?? '');
    if (!document) {
      const [root, group = ''] = trimmed.slice(1).split('/');
      if ((root === 'api' || root === 'apis') && isBuiltinGroup(root === 'api' ? '' : group)) throw unknownResource();
      return notFoundPage();
    }
    if (!trimmed.startsWith('/api')) return this.presenter.encode(document);
    assertProduced(accept);
    return this.presenter.encode(document, { form: 'object', yaml: prefersYaml(accept) });
  }

  /** Answers services outside of the cluster that ask how to check tokens of service accounts. */
  private openId(path: string, host: string): ApiResponse {
    if (path === KEYS_PATH) {
      const response = this.presenter.encode({ keys: this.signer.publicKeys });
      return { ...response, headers: { ...CACHED, 'content-type': 'application/jwk-set+json' } };
    }
    const response = this.presenter.encode({
      issuer: ISSUER,
      jwks_uri: `https://${host}${KEYS_PATH}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    return { ...response, headers: { ...CACHED, ...response.headers } };
  }

  private document(path: string, host: string): object | undefined {
    switch (path) {
      case '/':
        return {
          paths: [
            OPENID_PATH,
            '/api',
            '/api/v1',
            '/apis',
            '/healthz',
            '/livez',
            '/metrics',
            SLIS_PATH,
            '/openapi/v2',
            '/openapi/v3',
            KEYS_PATH,
            '/readyz',
            '/version',
          ],
        };
      case '/api':
        return this.discovery.coreVersions(host);
      case '/apis':
        return this.discovery.groupList();
      default:
        return this.discoveryDocument(path.slice(1).split('/'));
    }
  }

  private discoveryDocument([root, first = '', second = '', ...rest]: string[]): object | undefined {
    if (rest.length > 0) return undefined;
    if (root === 'api') return second ? undefined : this.discovery.resourceList('', first);
    if (root !== 'apis') return undefined;
    return second ? this.discovery.resourceList(first, second) : this.discovery.group(first);
  }
}

/** Answers `/version`, the only document that is for people to read. */
function versionAnswer(): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(SERVER_VERSION, null, 2),
  };
}

/** Answers a request for an unknown path, as the real server does. */
export function notFoundPage(): ApiResponse {
  return { status: 404, headers: TEXT, body: '404 page not found\n' };
}
