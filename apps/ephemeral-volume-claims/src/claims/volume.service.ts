import { Inject, Injectable } from '@nestjs/common';
import {
  ApiConflictError,
  ApiForbiddenError,
  ApiUnprocessableEntityError,
  KubeClient,
  Needs,
  PermanentError,
  TemporaryError,
  type KubeObject,
} from 'nestjs-kopf';
import { CLAIMS } from './claim.js';

const VOLUME_CLAIMS = 'persistentvolumeclaims.v1';

/** Knows how volumes are made and changed in the cluster. */
@Injectable()
@Needs({ [VOLUME_CLAIMS]: ['get', 'create', 'patch'], [CLAIMS]: ['delete'] })
export class VolumeService {
  constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

  /**
   * Creates a volume claim. If the operator was interrupted after it had created the claim, the same claim is found again.
   *
   * @throws PermanentError if the name is taken by somebody else's claim.
   */
  async create(claim: KubeObject): Promise<KubeObject> {
    try {
      return await this.client.create(claim);
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
      return this.findOwn(claim);
    }
  }

  /**
   * Resizes a volume claim.
   *
   * @throws TemporaryError if the cluster refuses it: the volume may not be bound yet, or its class may change.
   */
  async resize(namespace: string | undefined, name: string, size: string): Promise<void> {
    try {
      const patch = { spec: { resources: { requests: { storage: size } } } };
      await this.client.patch(VOLUME_CLAIMS, name, patch, { namespace });
    } catch (error) {
      if (!(error instanceof ApiForbiddenError || error instanceof ApiUnprocessableEntityError)) throw error;
      throw new TemporaryError(`The volume cannot be resized to ${size} yet: ${error.message}`, {
        delay: 5,
        cause: error,
      });
    }
  }

  /** Sets labels of a volume claim; `null` removes a label, the others stay as they are. */
  async relabel(namespace: string | undefined, name: string, labels: Record<string, string | null>): Promise<void> {
    await this.client.patch(VOLUME_CLAIMS, name, { metadata: { labels } }, { namespace });
  }

  /** Deletes an ephemeral volume claim; its volume claim goes with it. */
  async release(namespace: string | undefined, name: string, uid: string): Promise<void> {
    await this.client.delete(CLAIMS, name, { namespace, preconditions: { uid } });
  }

  private async findOwn({ metadata }: KubeObject): Promise<KubeObject> {
    const { namespace, name = '', ownerReferences = [] } = metadata;
    const existing = await this.client.get(VOLUME_CLAIMS, name, { namespace });
    const owners = existing.metadata.ownerReferences ?? [];
    if (ownerReferences.every(({ uid }) => owners.some((owner) => owner.uid === uid))) return existing;
    throw new PermanentError(`The volume claim ${namespace}/${name} exists already, and is not ours.`);
  }
}
