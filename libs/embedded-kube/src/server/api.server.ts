// server: requests and responses: paths, authentication, bodies, options, media types, subresources, HTTPS and in-process transport.
// Translates between HTTP and the machinery, and decides nothing about objects itself.
// May import: everything below but faults, the root and the command.

import type { ResourceRegistry } from '../resources/resource.registry.js';
import { StatusError } from '../errors/status.error.js';
import {
  badRequest,
  internalError,
  methodNotAllowed,
  notFound,
  tooLarge,
  unknownResource,
} from '../errors/status.errors.js';
import type { Logger } from '../common/logger.js';
import type { ApiUser } from '../machinery/api.user.js';
import { resourceName, type ServedResource } from '../resources/served.resource.js';
import type { ApiRequest, ApiResponse } from './api.request.js';
import type { AccessControl } from '../access/access.control.js';
import { assertAuthorized } from '../access/authorizer.js';
import type { FlowHeaders } from '../access/flow-control/flow.classifier.js';
import type { AuthorizationAttributes } from '../machinery/authorizer.js';
import { impersonatedUser } from '../access/impersonation.js';
import { indented, wantsIndentation } from './indented.json.js';
import { prefersYaml } from './media.negotiation.js';
import { isBuiltinGroup } from '../kinds/builtin.registration.js';
import { notFoundPage, type PathHandler } from './path.handler.js';
import { parseRequest, type RequestInfo, type ResourcePath } from './request.info.js';
import { requestTimeout } from './request.timeout.js';
import type { ResourceHandler, SubresourceHandler } from './resource.handler.js';
import { ResponseWarnings } from './response.warnings.js';
import { credentialsOf } from './streaming/web-socket.credentials.js';
import { toYaml } from './yaml.writer.js';

/** The limit of a request's body, in bytes. */
export const BODY_LIMIT = 3 * 1024 * 1024;

const COLLECTIVE = new Set(['list', 'watch', 'deletecollection']);

/** The subresources that show the whole object. */
const VIEWS = new Set(['status', 'finalize', 'approval', 'ephemeralcontainers', 'resize']);

/** The subresources whose requests last long, and do not belong to a flow. */
const LONG_RUNNING = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Headers of an answer that do not come from the handler of the request. */
interface AddedHeaders {
  readonly warnings: ResponseWarnings;
  flow?: FlowHeaders;
}

/** The API server: checks requests, from HTTPS or the same process, and passes them to the handler of their resource. */
export class ApiServer {
  private readonly subresources: ReadonlyMap<string, SubresourceHandler>;

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly resources: ResourceHandler,
    private readonly paths: PathHandler,
    private readonly access: Pick<AccessControl, 'authenticator' | 'authorizer' | 'flows'>,
    private readonly logger: Logger,
    subresources: readonly SubresourceHandler[],
  ) {
    this.subresources = new Map(subresources.map((handler) => [handler.key, handler]));
  }

  /** Answers a request; never rejects. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const added: AddedHeaders = { warnings: new ResponseWarnings() };
    let response: ApiResponse;
    try {
      response = await this.answer(request, added);
    } catch (error) {
      response = this.toErrorResponse(error, request.headers['accept']);
    }
    if (wantsIndentation(request)) response = await indented(response);
    const warning = added.warnings.header;
    if (warning === undefined && !added.flow) return response;
    return { ...response, headers: { ...response.headers, ...(warning !== undefined && { warning }), ...added.flow } };
  }

  private answer(request: ApiRequest, added: AddedHeaders): Promise<ApiResponse> | ApiResponse {
    const info = parseRequest(request.method, request.path);
    const { authenticator, authorizer, flows } = this.access;
    const warn = (message: string): void => added.warnings.add(message);
    if (info.verb !== 'watch') requestTimeout(info.query);
    const sender = authenticator.authenticate(credentialsOf(request.headers), request.certificate);
    const own = authorizationOf(sender, info);
    const user = impersonatedUser(request.headers, own, authorizer);
    if (request.record) request.record.user = user.name;
    const access = user === sender ? own : { ...own, user };
    if (flows && !LONG_RUNNING.has(info.target?.subresource ?? '')) added.flow = flows.classify(access);
    assertAuthorized(authorizer, access);
    if (isTooLarge(request.body)) throw tooLarge(BODY_LIMIT);
    const { target } = info;
    if (!target) return this.paths.handle(info.path, info.query, request);
    const found = this.find(info, target);
    if (!found) return notFoundPage();
    const { served, handler } = found;
    if (served.deprecation && handler !== this.resources) warn(served.deprecation);
    const assertAllowed = (verb: string): void => assertAuthorized(authorizer, { ...access, verb });
    return handler.handle({ request, info, target, served, user, warn, assertAllowed });
  }

  private find(
    info: RequestInfo,
    target: ResourcePath,
  ): { served: ServedResource; handler: Pick<ResourceHandler, 'handle'> } | undefined {
    const { group, version, plural, subresource, namespace, name } = target;
    const served = this.registry.find(group, version, plural);
    if (!served) {
      if (isBuiltinGroup(group)) throw unknownResource();
      return undefined;
    }
    const { namespaced } = served.resource;
    const collective = !name && (info.verb === 'list' || info.verb === 'watch');
    if (namespaced ? !namespace && !collective && !this.handlerOf(served, '') : namespace) {
      if (!served.custom) throw namespaced && !name && !namespace ? methodNotAllowed() : unknownResource();
      return undefined;
    }
    if (target.rest && subresource !== 'proxy' && !served.custom) throw unknownResource();
    const handler = this.handlerOf(served, subresource);
    if (handler) return { served, handler };
    if (!subresource) return { served, handler: this.resources };
    const declared = served.resource.subresources.find((each) => each.name === subresource);
    if (!declared && served.custom) throw notFound(resourceName(served), name);
    if (!declared || !VIEWS.has(subresource)) throw unknownResource();
    if (!declared.verbs.includes(info.verb)) throw served.custom ? unknownResource() : methodNotAllowed();
    return { served, handler: this.resources };
  }

  private handlerOf(served: ServedResource, subresource: string): SubresourceHandler | undefined {
    if (subresource === 'scale') return served.scale && this.subresources.get('scale');
    return this.subresources.get(subresource ? `${served.storageKey}/${subresource}` : served.storageKey);
  }

  private toErrorResponse(error: unknown, accept: string | undefined): ApiResponse {
    const status = error instanceof StatusError ? error : isTooDeep(error) ? tooDeep() : internalError(String(error));
    if (status !== error && !isTooDeep(error)) {
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    const after = status.details?.retryAfterSeconds;
    const yaml = prefersYaml(accept);
    const headers = {
      'content-type': yaml ? 'application/yaml' : 'application/json',
      ...(after !== undefined && { 'retry-after': String(after) }),
    };
    const body = yaml ? toYaml(status.toStatus()) : JSON.stringify(status.toStatus());
    return { status: status.code, headers, body };
  }
}

function isTooLarge(body: string | Uint8Array): boolean {
  // A character takes at most three bytes.
  return body.length > BODY_LIMIT / 3 && Buffer.byteLength(body) > BODY_LIMIT;
}

/** Whether an error comes from a nesting beyond the language's recursion, where nothing else limits it. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

function tooDeep(): StatusError {
  return badRequest('the object provided is unrecognized: exceeded max depth');
}

/** Returns the request as the authorizer sees it. */
function authorizationOf(user: ApiUser, { verb, path, query, target }: RequestInfo): AuthorizationAttributes {
  if (!target) return { user, verb, path, group: '', resource: '', namespace: '', name: '' };
  const { group, plural, subresource, namespace } = target;
  const name = target.name || (COLLECTIVE.has(verb) ? selectedName(query) : '');
  return { user, verb, group, resource: subresource ? `${plural}/${subresource}` : plural, namespace, name };
}

/** Returns the name that a selection of fields requires: a user who may list an object by its name may list no others. */
function selectedName(query: URLSearchParams): string {
  const selector = query.get('fieldSelector');
  return (selector && /(?:^|,)metadata\.name==?([^,]+)/.exec(selector)?.[1]) || '';
}
