import { Injectable } from '@nestjs/common';
import { Index, Needs, OnCreate, OnDelete, OnResume, OnUpdate, Validate } from 'nestjs-kopf';
import type { AdmissionContext, Patch } from 'nestjs-kopf';
import { KopfValidationPipe, Name, ObjectPatch, Spec } from 'nestjs-kopf/parameters';
import { ItemDto } from '../items/item.dto.js';
import { ItemsService } from '../items/items.service.js';

export const ITEMS = 'inventoryitems.example.com';

/** Keeps the items in step with the objects of the cluster. */
@Injectable()
@Needs({ events: [] })
export class ItemsOperator {
  constructor(private readonly items: ItemsService) {}

  @OnResume(ITEMS)
  @OnCreate(ITEMS)
  @OnUpdate(ITEMS, { field: 'spec' })
  async store(@Name() name: string, @Spec(KopfValidationPipe) spec: ItemDto, @ObjectPatch() patch: Patch) {
    await this.items.put(name, spec);
    patch.status.inStock = spec.quantity > 0;
  }

  @OnDelete(ITEMS)
  async remove(@Name() name: string) {
    await this.items.remove(name);
  }

  @Validate(ITEMS, { operations: ['CREATE', 'UPDATE'], dto: ItemDto })
  check({ spec, warnings }: AdmissionContext<ItemDto>) {
    if (!spec.quantity) warnings.push(`There is nothing of ${spec.title} in stock.`);
  }

  @Index(ITEMS)
  stockByWarehouse(@Name() name: string, @Spec(KopfValidationPipe) { warehouse, quantity }: ItemDto) {
    return { [warehouse]: { name, quantity } };
  }
}
