package sandbox

// Rows are the routes of the table: a method and a path each.
func Rows() []string {
	var rows []string
	for _, row := range (&Controls{}).routes() {
		rows = append(rows, row.method+" "+row.path)
	}
	return rows
}
