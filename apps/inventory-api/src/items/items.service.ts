import { Injectable, NotFoundException } from '@nestjs/common';
import type { Item } from './item.js';

/** Keeps the items in memory: those that came over the API, and those that the operator has put in. */
@Injectable()
export class ItemsService {
  private readonly items = new Map<string, Item>();

  findAll(): readonly Item[] {
    return [...this.items.values()].sort((one, other) => one.id.localeCompare(other.id));
  }

  /** @throws NotFoundException if there is no such item. */
  findOne(id: string): Item {
    const item = this.items.get(id);
    if (!item) throw new NotFoundException(`There is no item '${id}'.`);
    return item;
  }

  put(item: Item): void {
    this.items.set(item.id, item);
  }

  remove(id: string): void {
    this.items.delete(id);
  }
}
