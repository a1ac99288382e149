// #region imports
import { Injectable } from '@nestjs/common';
import {
  adopt,
  ApiConflictError,
  KubeClient,
  OnCreate,
  OnError,
  OnUpdate,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
// #endregion

// #region temporary
@Injectable()
export class PatientOperator {
  @OnCreate('disks.example.com')
  create({ retry, logger }: ChangeContext) {
    if (retry < 3) throw new TemporaryError('The data is not ready yet.', { delay: 30 });
    logger.log('The data is ready.');
  }
}
// #endregion

// #region permanent
@Injectable()
export class StrictOperator {
  @OnCreate('disks.example.com')
  create({ spec }: ChangeContext<{ size?: string }>) {
    if (!spec.size) throw new PermanentError(`Size must be set. Got ${spec.size}.`);
  }
}
// #endregion

// #region modes
@Injectable()
export class ModesOperator {
  @OnCreate('disks.example.com', { errors: 'permanent' })
  fail() {
    throw new Error('This is final.');
  }

  @OnCreate('disks.example.com', { errors: 'ignored' })
  ignore() {
    throw new Error('This counts as a success.');
  }
}
// #endregion

// #region decisions
export class QuotaError extends Error {}

@Injectable()
@OnError('translate')
export class TranslatingOperator {
  @OnCreate('disks.example.com')
  create({ spec }: ChangeContext<{ size?: number }>) {
    if ((spec.size ?? 0) > 10) throw new QuotaError('The quota is exceeded.');
    if (spec.size === 0) throw new RangeError('The size is 0.');
  }

  @OnUpdate('disks.example.com', { onError: () => 'ignored' })
  update() {
    throw new Error('Nobody minds.');
  }

  translate(error: unknown, { patch }: ChangeContext) {
    if (error instanceof QuotaError) return new TemporaryError('There is no room.', { delay: 600 });
    if (!(error instanceof RangeError)) return undefined;
    patch.status.phase = 'Invalid';
    return new PermanentError(error.message);
  }
}
// #endregion

// #region limits
@Injectable()
export class LimitedOperator {
  @OnCreate('disks.example.com', { retries: 3, backoff: 10 })
  retried({ retry, logger }: ChangeContext) {
    logger.log(`This is attempt ${retry + 1} of 3.`);
    throw new Error('This is tried again in 10 seconds.');
  }

  @OnCreate('disks.example.com', { timeout: 60 })
  async limited({ signal, logger }: ChangeContext) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    logger.log('The time is over.');
  }
}
// #endregion

// #region steps
@Injectable()
export class JobsOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('disks.example.com')
  async create({ execute }: ChangeContext) {
    await execute({
      input: () => this.makeMap(),
      output: () => this.makeMap(),
    });
  }

  private async makeMap() {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', data: {} };
    const created: KubeObject = await this.client.create(adopt(map));
    return { name: created.metadata.name };
  }
}
// #endregion

// #region names
@Injectable()
export class NamedOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('disks.example.com')
  async create({ uid, namespace, spec }: ChangeContext<{ tier?: string }>) {
    const map = adopt({ apiVersion: 'v1', kind: 'ConfigMap', data: { tier: spec.tier } }, { strict: true });
    try {
      await this.client.create(map);
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
      const { metadata } = await this.client.get<KubeObject>('configmaps', map.metadata.name!, { namespace });
      const isOwn = metadata.ownerReferences?.some((owner) => owner.uid === uid);
      if (!isOwn) throw new TemporaryError(`ConfigMap ${metadata.name} belongs to another object.`, { delay: 5 });
    }
  }
}
// #endregion
