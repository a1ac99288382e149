import { mapping } from '../common/json.values.js';
import { timestamp } from '../common/timestamps.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { Controller, ControllerContext, ResourceId } from './controller.js';
import { ignoringGone, WorkQueue } from './work.queue.js';

const REQUESTS: ResourceId = { group: 'certificates.k8s.io', plural: 'certificatesigningrequests' };

/** The usages that each signer allows, and those without which it does not sign. */
const SIGNERS: Readonly<Record<string, { readonly allowed: readonly string[]; readonly required: readonly string[] }>> =
  {
    'kubernetes.io/kube-apiserver-client': {
      allowed: ['digital signature', 'key encipherment', 'client auth'],
      required: ['client auth'],
    },
    'kubernetes.io/kube-apiserver-client-kubelet': {
      allowed: ['digital signature', 'key encipherment', 'client auth'],
      required: ['client auth'],
    },
    'kubernetes.io/kubelet-serving': {
      allowed: ['digital signature', 'key encipherment', 'server auth'],
      required: ['server auth'],
    },
    'kubernetes.io/legacy-unknown': { allowed: [], required: [] },
  };

/** Makes certificates of PKCS #10 requests in PEM. Rejects with an error for a text that is no request. */
export type CertificateIssuer = (
  request: string,
  usages: readonly string[],
  /** The validity of the certificate, in seconds. */
  lifetime: number | undefined,
) => Promise<string>;

/** The controller that signs certificates of the cluster's own signers, once the requests are approved. */
export class CertificateSigner implements Controller {
  readonly name = 'csrsigning';
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void) | undefined;

  constructor(private readonly issue: CertificateIssuer) {}

  start(context: ControllerContext): void {
    this.context = context;
    this.queue = new WorkQueue(this.name, (name) => this.process(name), context);
    const add = ({ metadata: { name } }: KubeObject): void => this.queue.add(name ?? '');
    this.unwatch = context.client.watch(REQUESTS, ({ object }) => add(object));
    for (const request of context.client.list(REQUESTS)) add(request);
  }

  async stop(): Promise<void> {
    this.unwatch?.();
    await this.queue?.stop();
  }

  private async process(name: string): Promise<void> {
    const request = this.context.client.get(REQUESTS, undefined, name);
    const { signerName, usages, request: encoded, expirationSeconds } = mapping(request?.['spec']);
    const signer = SIGNERS[String(signerName)];
    if (!request || !signer || !isDue(request)) return;
    const list = Array.isArray(usages) ? usages.map(String) : [];
    const isAllowed =
      (signer.allowed.length === 0 || list.every((usage) => signer.allowed.includes(usage))) &&
      signer.required.every((usage) => list.includes(usage));
    if (!isAllowed) return this.fail(request, 'invalid usages for client certificate');
    const pem = Buffer.from(String(encoded), 'base64').toString('utf8');
    const lifetime = expirationSeconds === undefined ? undefined : Number(expirationSeconds);
    try {
      const certificate = Buffer.from(await this.issue(pem, list, lifetime)).toString('base64');
      await this.write(request, { ...mapping(request['status']), certificate });
    } catch (error) {
      await this.fail(request, `unable to parse request: ${(error as Error).message}`);
    }
  }

  private fail(request: KubeObject, message: string): Promise<void> {
    const now = timestamp(this.context.clock.now());
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message,
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    return this.write(request, { ...mapping(request['status']), conditions: [...conditionsOf(request), failed] });
  }

  private write(request: KubeObject, status: object): Promise<void> {
    const { name = '' } = request.metadata;
    return ignoringGone(this.context.client.update(REQUESTS, undefined, name, { ...request, status }, 'status'));
  }
}

function isDue(request: KubeObject): boolean {
  if (mapping(request['status'])['certificate']) return false;
  const types = conditionsOf(request).map((each) => mapping(each)['type']);
  return types.includes('Approved') && !types.includes('Denied') && !types.includes('Failed');
}

function conditionsOf(request: KubeObject): readonly unknown[] {
  const { conditions } = mapping(request['status']);
  return Array.isArray(conditions) ? conditions : [];
}
