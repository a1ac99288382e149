import { Injectable } from '@nestjs/common';
import { Index, Needs, OnCreate, OnDelete, OnResume, OnUpdate, Validate } from 'nestjs-kopf';
import type { AdmissionContext, Patch } from 'nestjs-kopf';
import { KopfValidationPipe, Name, ObjectPatch, Spec } from 'nestjs-kopf/parameters';
import { ItemDto } from '../items/item.dto.js';
import { ItemsService } from '../items/items.service.js';
import { InventoryItem } from './inventory-item.js';

/** Keeps the items in step with the objects of the cluster. */
@Injectable()
@Needs({ events: [] })
export class ItemsOperator {
  constructor(private readonly items: ItemsService) {}

  @OnResume(InventoryItem)
  @OnCreate(InventoryItem)
  @OnUpdate(InventoryItem, { field: 'spec' })
  async store(@Name() name: string, @Spec(KopfValidationPipe) spec: ItemDto, @ObjectPatch() patch: Patch) {
    await this.items.put(name, spec);
    patch.status.inStock = spec.quantity > 0;
  }

  @OnDelete(InventoryItem)
  async remove(@Name() name: string) {
    await this.items.remove(name);
  }

  @Validate(InventoryItem, { operations: ['CREATE', 'UPDATE'], dto: ItemDto })
  check({ spec, warnings }: AdmissionContext<ItemDto>) {
    if (!spec.quantity) warnings.push(`There is nothing of ${spec.title} in stock.`);
  }

  @Index(InventoryItem)
  stockByWarehouse(@Name() name: string, @Spec(KopfValidationPipe) { warehouse, quantity }: ItemDto) {
    return { [warehouse]: { name, quantity } };
  }
}
