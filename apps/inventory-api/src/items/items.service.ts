import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { ItemDto } from './item.dto.js';
import { Item } from './item.entity.js';

@Injectable()
export class ItemsService {
  constructor(@InjectRepository(Item) private readonly items: Repository<Item>) {}

  findAll(): Promise<Item[]> {
    return this.items.find({ order: { id: 'ASC' } });
  }

  /** @throws NotFoundException if there is no such item. */
  async findOne(id: string): Promise<Item> {
    const item = await this.items.findOneBy({ id });
    if (!item) throw new NotFoundException(`There is no item '${id}'.`);
    return item;
  }

  async put(id: string, { title, quantity, warehouse }: ItemDto): Promise<void> {
    await this.items.save({ id, title, quantity, warehouse });
  }

  async remove(id: string): Promise<void> {
    await this.items.delete(id);
  }
}
