// #region imports
import {
  createParamDecorator,
  DefaultValuePipe,
  Inject,
  Injectable,
  ParseIntPipe,
  Scope,
  type ExecutionContext,
} from '@nestjs/common';
import { IsInt, IsOptional, IsString, Min } from 'class-validator';
import {
  Daemon,
  Index,
  KOPF_CONTEXT,
  OnCreate,
  OnUpdate,
  stringifyJson,
  type BodyContext,
  type ChangeContext,
  type KopfLogger,
  type ObjectContext,
  type ObjectDiff,
  type Patch,
  type StopFlag,
} from 'nestjs-kopf';
import {
  Diff,
  HandlerContext,
  HandlerLogger,
  IndexRef,
  KopfValidationPipe,
  Name,
  ObjectPatch,
  Spec,
  Stopped,
  type StandardSchema,
} from 'nestjs-kopf/parameters';
// #endregion

// #region types
interface DiskSpec {
  size?: string;
}

interface DiskStatus {
  create?: { volume: string };
}

type DiskContext = ChangeContext<DiskSpec, DiskStatus>;
// #endregion

// #region destructuring
@Injectable()
export class DiskOperator {
  @OnCreate('disks.example.com')
  create({ spec, name, namespace, retry, logger }: DiskContext) {
    logger.log(`${namespace}/${name} wants ${spec.size ?? 'nothing'} (attempt ${retry + 1}).`);
    return { volume: `volume-of-${name}` };
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
  @OnCreate('disks.example.com')
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
  @OnCreate('disks.example.com')
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
  @OnUpdate('disks.example.com', { field: 'spec.tier', param: 10 })
  @OnUpdate('disks.example.com', { field: 'spec.items', param: 1 })
  count({ param, status, patch }: ChangeContext<unknown, { counter?: number }>) {
    patch.status.counter = (patch.status.counter ?? status.counter ?? 0) + (param as number);
  }
}
// #endregion

// #region copies
type Creation = Pick<ChangeContext<DiskSpec>, 'spec' | 'namespace' | 'logger'>;

function describe({ spec, namespace, logger }: Creation, greeting: string): void {
  logger.log(`${greeting} from ${namespace}: ${spec.size ?? 'nothing'}.`);
}

@Injectable()
export class DescribingOperator {
  @OnCreate('disks.example.com')
  create({ name, ...others }: ChangeContext<DiskSpec>) {
    describe({ ...others, namespace: others.namespace ?? 'the cluster' }, `Hello ${name}`);
  }
}
// #endregion

// #region decorated
@Injectable()
export class GrantingOperator {
  @OnCreate('disks.example.com')
  create(
    @Name() name: string,
    @Spec('size', new DefaultValuePipe('1'), ParseIntPipe) size: number,
    @ObjectPatch() patch: Patch,
    @HandlerLogger() logger: KopfLogger,
  ) {
    logger.log(`${name} wants ${size}.`);
    patch.status.granted = size;
  }

  @OnUpdate('disks.example.com')
  update(@Diff() diff: Diff, @HandlerLogger() logger: KopfLogger) {
    for (const [operation, path] of diff) logger.log(`${path.join('.')}: ${operation}`);
  }

  @Daemon('disks.example.com')
  async watch(@Name() name: string, @Stopped() stopped: StopFlag, @HandlerLogger() logger: KopfLogger) {
    while (!(await stopped.wait(60))) logger.log(`${name} is still there.`);
  }
}
// #endregion

// #region own
export const Generation = createParamDecorator(
  (_data: unknown, host: ExecutionContext) => host.getArgByIndex<ObjectContext>(0).meta.generation,
);
// #endregion

// #region rest
@Injectable()
export class SiblingsOperator {
  @Index('disks.example.com')
  byOwner(@Spec('owner') owner: string, @Name() name: string) {
    return { [owner]: name };
  }

  @OnUpdate('disks.example.com')
  update(
    @Spec('owner') owner: string,
    @IndexRef('byOwner') names: Index<string, string>,
    @Generation() generation: number,
    @HandlerContext() { info }: ChangeContext,
  ) {
    const siblings = names.get(owner)?.size ?? 0;
    info({ reason: 'Counted', message: `Generation ${generation} has ${siblings} of ${owner}.` });
  }
}
// #endregion

// #region class-validator
export class GrantSpec {
  @IsInt()
  @Min(1)
  size: number;

  @IsOptional()
  @IsString()
  owner?: string;
}

@Injectable()
export class ValidatedOperator {
  @OnCreate('disks.example.com')
  create(@Spec(new KopfValidationPipe(GrantSpec)) spec: GrantSpec) {
    return { granted: spec.size };
  }
}
// #endregion

// #region schema
export const Size: StandardSchema<number> = {
  '~standard': {
    version: 1,
    vendor: 'example',
    validate(value) {
      const size = Number(value);
      return size > 0 ? { value: size } : { issues: [{ message: 'must be a positive number' }] };
    },
  },
};

@Injectable()
export class SchemaOperator {
  @OnCreate('disks.example.com')
  create(@Spec('size', Size) size: number) {
    return { granted: size };
  }
}
// #endregion

// #region request
@Injectable({ scope: Scope.REQUEST })
export class Audit {
  constructor(@Inject(KOPF_CONTEXT) private readonly context: ObjectContext) {}

  note(text: string) {
    const { namespace, name, logger } = this.context;
    logger.log(`Audit of ${namespace}/${name}: ${text}`);
  }
}

@Injectable()
export class AuditedOperator {
  constructor(private readonly audit: Audit) {}

  @OnCreate('disks.example.com')
  create() {
    this.audit.note('created');
  }
}
// #endregion
