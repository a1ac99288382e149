import { Injectable } from '@nestjs/common';
import { Index, OnProbe, OnUpdate, type ActivityContext, type ChangeContext, type IndexContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

/** Tells of itself at /healthz: how many objects there are, and whether what it works with is in order. */
@Injectable()
export class ProbesOperator {
  private licence = 'valid';

  @Index(EXAMPLES)
  names({ name }: IndexContext) {
    return { [name]: true };
  }

  @OnUpdate(EXAMPLES, { field: 'spec.licence' })
  renew({ new: licence }: ChangeContext) {
    this.licence = licence as string;
  }

  @OnProbe()
  objects({ indices }: ActivityContext) {
    return indices.names.size;
  }

  @OnProbe({ id: 'licence', timeout: 1 })
  checkLicence() {
    if (this.licence !== 'valid') throw new Error(`The licence is ${this.licence}.`);
    return this.licence;
  }
}
