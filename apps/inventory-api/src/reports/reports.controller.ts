import { Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiSecurity } from '@nestjs/swagger';
import { Report } from './report.entity.js';
import { ReportsService } from './reports.service.js';

@ApiSecurity('key')
@Controller('reports')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Get()
  @ApiOkResponse({ type: [Report] })
  findAll(): Promise<Report[]> {
    return this.reports.findAll();
  }

  @Post()
  @ApiCreatedResponse({ type: Report })
  takeStock(): Promise<Report> {
    return this.reports.takeStock();
  }
}
