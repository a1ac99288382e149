import { Injectable } from '@nestjs/common';
import { OnCreate, OnDelete, OnUpdate, type ChangeContext } from 'nestjs-kopf';

const CLAIMS = ['kopf.dev/v1', 'ephemeralvolumeclaims'] as const;

/** The reference work: one handler for each kind of change, and nothing to do in them. */
@Injectable()
export class BenchOperator {
  @OnCreate(...CLAIMS, { id: 'create_fn' })
  create({ name }: ChangeContext): Record<string, string> {
    return { 'pvc-name': name };
  }

  @OnUpdate(...CLAIMS, { id: 'update_fn' })
  update(): void {}

  @OnDelete(...CLAIMS, { id: 'delete_fn' })
  delete(): void {}
}
