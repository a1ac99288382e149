// #region imports
import {
  DefaultValuePipe,
  Inject,
  Injectable,
  ParseIntPipe,
  Scope,
  createParamDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import { IsInt, IsOptional, IsString, Min } from 'class-validator';
import {
  Daemon,
  Index,
  KOPF_CONTEXT,
  OnCreate,
  OnUpdate,
  type ChangeContext,
  type KopfLogger,
  type ObjectContext,
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

// #region first
@Injectable()
export class ClaimOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create(
    @Name() name: string,
    @Spec('size', new DefaultValuePipe('1'), ParseIntPipe) size: number,
    @ObjectPatch() patch: Patch,
    @HandlerLogger() logger: KopfLogger,
  ) {
    logger.log(`${name} wants ${size}.`);
    patch.status.granted = size;
  }

  @OnUpdate('kopfexamples.kopf.dev')
  update(@Diff() diff: Diff, @HandlerLogger() logger: KopfLogger) {
    for (const [operation, path] of diff) logger.log(`${path.join('.')}: ${operation}`);
  }

  @Daemon('kopfexamples.kopf.dev')
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
  @Index('kopfexamples.kopf.dev')
  byOwner(@Spec('owner') owner: string, @Name() name: string) {
    return { [owner]: name };
  }

  @OnUpdate('kopfexamples.kopf.dev')
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
export class ClaimSpec {
  @IsInt()
  @Min(1)
  size: number;

  @IsOptional()
  @IsString()
  owner?: string;
}

@Injectable()
export class ValidatedOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create(@Spec(new KopfValidationPipe(ClaimSpec)) spec: ClaimSpec) {
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
  @OnCreate('kopfexamples.kopf.dev')
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

  @OnCreate('kopfexamples.kopf.dev')
  create() {
    this.audit.note('created');
  }
}
// #endregion
