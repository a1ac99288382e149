// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, stringifyJson, type BodyContext, type ChangeContext, type ObjectDiff } from 'nestjs-kopf';
// #endregion

// #region types
interface ClaimSpec {
  size?: string;
}

interface ClaimStatus {
  create?: { volume: string };
}

type ClaimContext = ChangeContext<ClaimSpec, ClaimStatus>;
// #endregion

// #region destructuring
@Injectable()
export class ClaimOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ spec, name, namespace, retry, logger }: ClaimContext) {
    logger.log(`${namespace}/${name} wants ${spec.size ?? 'nothing'} (attempt ${retry + 1}).`);
    return { volume: `volume-of-${name}` };
  }
}
// #endregion

// #region copies
type Creation = Pick<ChangeContext<ClaimSpec>, 'spec' | 'namespace' | 'logger'>;

function describe({ spec, namespace, logger }: Creation, greeting: string): void {
  logger.log(`${greeting} from ${namespace}: ${spec.size ?? 'nothing'}.`);
}

@Injectable()
export class DescribingOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ name, ...others }: ChangeContext<ClaimSpec>) {
    describe({ ...others, namespace: others.namespace ?? 'the cluster' }, `Hello ${name}`);
  }
}
// #endregion

// #region bodies
@Injectable()
export class ConfigMapOperator {
  @OnUpdate('configmaps')
  reload({ body, old, logger }: BodyContext<ChangeContext, { data?: Record<string, string> }>) {
    if (body.data?.mode !== old?.data?.mode) logger.log(`The mode is ${body.data?.mode}.`);
  }
}
// #endregion

// #region integers
@Injectable()
export class AccountOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ spec, logger }: ChangeContext<{ id: number | bigint }>) {
    logger.log(`The account ${spec.id} is created: ${stringifyJson(spec)}.`);
    return { next: BigInt(spec.id) + 1n };
  }
}
// #endregion

// #region diff
export function describeDiff(diff: ObjectDiff): string[] {
  return diff.map(([operation, path, before, after]) => {
    const field = path.join('.') || 'all of it';
    if (operation === 'add') return `${field} appeared as ${stringifyJson(after)}`;
    if (operation === 'remove') return `${field} went, it was ${stringifyJson(before)}`;
    return `${field} was ${stringifyJson(before)} and is ${stringifyJson(after)}`;
  });
}
// #endregion

// #region patch
@Injectable()
export class PatchingOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ patch }: ChangeContext) {
    patch.status.phase = 'Ready';
    patch.metadata.labels['managed'] = 'yes';
    patch.metadata.annotations['not-needed'] = null;
    patch.merge({ data: { key: 'value' } });
    patch.transform((body) => {
      (body.spec.items as string[]).push('another');
    });
  }
}
// #endregion

// #region param
@Injectable()
export class CountingOperator {
  @OnUpdate('kopfexamples.kopf.dev', { field: 'spec.field', param: 10 })
  @OnUpdate('kopfexamples.kopf.dev', { field: 'spec.items', param: 1 })
  count({ param, status, patch }: ChangeContext<unknown, { counter?: number }>) {
    patch.status.counter = (patch.status.counter ?? status.counter ?? 0) + (param as number);
  }
}
// #endregion
