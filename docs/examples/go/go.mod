module example.com/timeline

go 1.21
