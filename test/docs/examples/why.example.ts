// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, OnDelete, OnUpdate, type ChangeContext } from 'nestjs-kopf';
// #endregion

// #region service
export abstract class DisksService {
  abstract provide(name: string, size: number): Promise<string>;
  abstract release(name: string): Promise<void>;
}
// #endregion

// #region operator
@Injectable()
export class DiskOperator {
  constructor(private readonly disks: DisksService) {}

  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com', { field: 'spec.size' })
  async provision({ name, spec, patch }: ChangeContext<{ size: number }>) {
    patch.status.address = await this.disks.provide(name, spec.size);
  }

  @OnDelete('disks.example.com')
  async release({ name }: ChangeContext) {
    await this.disks.release(name);
  }
}
// #endregion
