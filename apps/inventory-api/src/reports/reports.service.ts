import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ItemsService } from '../items/items.service.js';
import { Report } from './report.entity.js';

@Injectable()
export class ReportsService {
  constructor(
    @InjectRepository(Report) private readonly reports: Repository<Report>,
    private readonly items: ItemsService,
  ) {}

  /** Counts what is in stock, every night and on demand. */
  @Cron(CronExpression.EVERY_DAY_AT_MIDNIGHT, { name: 'stocktaking' })
  async takeStock(): Promise<Report> {
    const items = await this.items.findAll();
    const quantity = items.reduce((sum, item) => sum + item.quantity, 0);
    return this.reports.save(this.reports.create({ items: items.length, quantity }));
  }

  findAll(): Promise<Report[]> {
    return this.reports.find({ order: { id: 'ASC' } });
  }
}
