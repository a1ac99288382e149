import type { AdmissionAttributes, GroupVersionKind } from '../../machinery/write.admission.js';
import type { Clock } from 'kube-common';
import type { KubeObject, Draft } from '../../resources/kube-object.js';
import { mapping } from '../../common/json.values.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import { deadlineOf, type WriteOptions, operationOptions } from '../../machinery/write.options.js';
import { badRequest } from '../../errors/status.errors.js';
import { SYSTEM_USER } from '../../machinery/api.user.js';
import { writeOptions } from '../request.options.js';
import { clientOf, type ResourceRequest } from '../resource.handler.js';

/** The admission of requests whose body is not the object that they change: a scale, a binding, a review. */
export class SubresourceAdmission {
  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly clock: Clock,
  ) {}

  /**
   * @param options the options of the request, which some subresources read themselves
   * @returns the object to create, as the plugins left it
   * @throws StatusError 422 if the options are wrong; the rejection of a plugin
   */
  create(request: ResourceRequest, body: unknown, options: WriteOptions = creationOptions(request)): Promise<Draft> {
    const { target } = request;
    const { group, version, kind } = kindOf(request);
    const content = mapping(body);
    const object: Draft = {
      apiVersion: group ? `${group}/${version}` : version,
      kind,
      ...content,
      metadata: {
        ...mapping(content['metadata']),
        ...(target.name && { name: target.name }),
        ...(target.namespace && { namespace: target.namespace }),
      },
    };
    return this.admit(
      request,
      { operation: 'CREATE', object, options: operationOptions('CreateOptions', options) },
      options,
    );
  }

  /** @returns the object to write, as the plugins left it @throws StatusError the rejection of a plugin */
  update(request: ResourceRequest, body: unknown, previous: KubeObject, options: WriteOptions): Promise<Draft> {
    const content = mapping(body) as Draft;
    const object = { ...content, metadata: { ...content.metadata } };
    const attributes = {
      operation: 'UPDATE',
      object,
      previous,
      options: operationOptions('UpdateOptions', options),
    } as const;
    return this.admit(request, attributes, options);
  }

  /**
   * Has a connection admitted before anything else of it is checked, also whether its target exists.
   *
   * @returns the options, as the plugins left them
   * @throws StatusError the rejection of a plugin, 400 for a dry run
   */
  async connect<O extends Draft>(request: ResourceRequest, options: O): Promise<O> {
    if (request.info.query.get('dryRun')) throw badRequest('dryRun is not supported');
    const attributes = { operation: 'CONNECT', object: options, options: null } as const;
    return (await this.admit(request, attributes, clientOf(request))) as O;
  }

  private async admit(
    request: ResourceRequest,
    given: Pick<AdmissionAttributes, 'operation' | 'previous' | 'options'> & { readonly object: Draft },
    options: WriteOptions,
  ): Promise<Draft> {
    const { served, target } = request;
    const { dryRun, user = SYSTEM_USER, warn } = options;
    const { admission } = this.machinery;
    const attributes = {
      ...given,
      served,
      kind: kindOf(request),
      namespace: target.namespace,
      name: target.name,
      ...(target.subresource && { subresource: target.subresource }),
      dryRun: dryRun === true,
      user,
      warn: warn ?? (() => undefined),
      deadline: deadlineOf(options, this.clock),
    };
    await admission.admit(attributes);
    await admission.validate(attributes);
    return given.object;
  }
}

/** @throws StatusError 422 */
export function creationOptions(resourceRequest: ResourceRequest): WriteOptions {
  return writeOptions(resourceRequest.info.query, 'CreateOptions', clientOf(resourceRequest));
}

function kindOf({ served: { resource }, target }: ResourceRequest): GroupVersionKind {
  const found = resource.subresources.find(({ name }) => name === target.subresource);
  return { group: resource.group, version: resource.version, kind: resource.kind, ...found };
}
