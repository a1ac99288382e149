import { mapping } from '../common/json.values.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { Controller, ControllerContext, ResourceId } from './controller.js';
import { ignoringGone, objectKey, splitKey, WorkQueue } from './work.queue.js';

const SECRETS: ResourceId = { group: '', plural: 'secrets' };
const ACCOUNTS: ResourceId = { group: '', plural: 'serviceaccounts' };
const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** The controller that fills Secrets that ask for a token of a service account, and removes them when the account is gone. */
export class AccountTokenController implements Controller {
  readonly name = 'serviceaccount-token-controller';
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: (() => void)[] = [];

  /** @param issue makes the token of a secret */
  constructor(private readonly issue: (account: KubeObject, secret: KubeObject) => string) {}

  start(context: ControllerContext): void {
    this.context = context;
    const { client } = context;
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    this.unwatch = [
      client.watch(SECRETS, ({ type, object }) => type !== 'DELETED' && this.observe(object)),
      client.watch(ACCOUNTS, ({ object }) => this.observeAccount(object)),
    ];
    for (const secret of client.list(SECRETS)) this.observe(secret);
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await this.queue?.stop();
  }

  private observe(secret: KubeObject): void {
    if (secret['type'] === TYPE) this.queue.add(objectKey(secret));
  }

  private observeAccount({ metadata: { namespace, name } }: KubeObject): void {
    for (const secret of this.context.client.list(SECRETS, namespace)) {
      if (secret.metadata.annotations?.[ACCOUNT_NAME] === name) this.observe(secret);
    }
  }

  private async process(key: string): Promise<void> {
    const { client } = this.context;
    const [namespace, name] = splitKey(key);
    const secret = client.get(SECRETS, namespace, name);
    const annotations = secret?.metadata.annotations ?? {};
    const owner = annotations[ACCOUNT_NAME];
    if (!secret || !owner) return;
    const account = client.get(ACCOUNTS, namespace, owner);
    const uid = account?.metadata.uid;
    if (!account || !uid || (annotations[ACCOUNT_UID] && annotations[ACCOUNT_UID] !== uid)) {
      await ignoringGone(client.delete(SECRETS, namespace, name));
      return;
    }
    const data = mapping(secret['data']);
    if (data['token'] !== undefined && annotations[ACCOUNT_UID] === uid) return;
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const patch = {
      metadata: { annotations: { [ACCOUNT_UID]: uid } },
      data: { token: encode(this.issue(account, secret)), namespace: encode(namespace ?? '') },
    };
    await ignoringGone(client.patch(SECRETS, namespace, name, patch));
  }
}
