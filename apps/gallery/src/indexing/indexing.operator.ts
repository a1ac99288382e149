import { Injectable } from '@nestjs/common';
import { Index, OnCreate, OnUpdate, PermanentError, type ChangeContext, type IndexContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

interface HostSpec {
  readonly host: string;
}

/** Gives each host name to one object only, without asking the API server who has it. */
@Injectable()
export class IndexingOperator {
  @Index(EXAMPLES)
  namesByHost({ spec, name }: IndexContext<HostSpec>) {
    return { [spec.host]: name };
  }

  @OnCreate(EXAMPLES)
  @OnUpdate(EXAMPLES, { field: 'spec.host' })
  claim({ spec, name, indices, patch }: ChangeContext<HostSpec>) {
    const others = indices.namesByHost
      .get(spec.host)
      ?.toArray()
      .filter((other) => other !== name);
    patch.status.accepted = !others?.length;
    if (others?.length) throw new PermanentError(`The host ${spec.host} belongs to ${others.sort().join(', ')}.`);
  }
}
