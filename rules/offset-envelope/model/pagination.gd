## What calls of the shared builder mean where its source is not at hand.
##
## A description for inference, never run and never reported: each method gives the caller's
## dictionary back with the fields that the envelope asks for.


static func build(sheet: Dictionary, noun: String, overall: int, here: int, more: bool, go_on: String, place: int, advice: String, also: Dictionary = {}) -> Dictionary:
	sheet["returned"] = here
	sheet["total_" + noun] = overall
	sheet["has_more"] = more
	if more and go_on != "":
		sheet[go_on] = place
	for key in also:
		sheet[key] = also[key]
	if advice != "" and (more or also.has("limit_clamped")):
		sheet["hint"] = advice
	return sheet


static func list_page(sheet: Dictionary, rows: Array, skipped: int, noun: String, overall: int, advice: String, also: Dictionary = {}, linear: bool = true) -> Dictionary:
	var place := skipped + rows.size()
	return build(sheet, noun, overall, rows.size(), place < overall, "next_offset" if linear else "", place, advice, also)


static func byte_page(sheet: Dictionary, skipped: int, here: int, overall: int, advice: String, also: Dictionary = {}) -> Dictionary:
	var place := skipped + here
	return build(sheet, "bytes", overall, here, place < overall, "next_offset", place, advice, also)


static func line_page(sheet: Dictionary, last: int, here: int, overall: int, advice: String, also: Dictionary = {}) -> Dictionary:
	return build(sheet, "lines", overall, here, last < overall, "next_start_line", last + 1, advice, also)
